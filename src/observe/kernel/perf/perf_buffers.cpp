// SPDX-License-Identifier: MIT
#include "observe/kernel/perf/perf_buffers.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace aaco {

namespace {

constexpr size_t kPageBytes = 4096;
constexpr size_t kMostPages = 512;  // a power of two; fewer where the user's limit of locked memory asks for it
constexpr size_t kFewestPages = 8;

int open_event(perf_event_attr attributes, int thread, int processor) {
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, thread, processor, -1, PERF_FLAG_FD_CLOEXEC));
}

perf_event_attr attributes_of(uint64_t event) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = event;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;  // a user without rights may not ask for more
  attributes.exclude_hv = 1;
  attributes.sample_id_all = 1;
  attributes.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  return attributes;
}

Error open_error(int error) {
  if (error == EPERM || error == EACCES || error == ENOSYS) {
    return {ErrorKind::kUnavailable, fmt::format("perf_event_open is not allowed ({})", std::strerror(error)),
            "sudo sysctl kernel.perf_event_paranoid=2 allows it to all users; a container needs perf_event_open in its "
            "seccomp profile"};
  }
  return {ErrorKind::kUnavailable, fmt::format("perf_event_open: {}", std::strerror(error)),
          error == EMFILE ? "raise the limit of open files (ulimit -n)" : "see dmesg"};
}

}  // namespace

PerfBuffers::~PerfBuffers() {
  for (const Buffer& buffer : buffers_) {
    ::munmap(buffer.map, buffer.bytes + kPageBytes);
  }
  for (const int event : events_) {
    ::close(event);
  }
}

std::optional<int> PerfBuffers::open_buffer(int thread, int processor) {
  perf_event_attr switches = attributes_of(PERF_COUNT_SW_DUMMY);
  switches.context_switch = 1;
  switches.task = 1;
  switches.comm = 1;
  switches.comm_exec = 1;
  Buffer buffer;
  buffer.event = open_event(switches, thread, processor);
  if (buffer.event < 0) {
    return errno;
  }
  events_.push_back(buffer.event);
  int error = 0;
  for (size_t pages = kMostPages; pages >= kFewestPages; pages /= 2) {
    buffer.bytes = pages * kPageBytes;
    buffer.map = ::mmap(nullptr, buffer.bytes + kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, buffer.event, 0);
    if (buffer.map != MAP_FAILED) {
      buffers_.push_back(buffer);
      return std::nullopt;
    }
    error = errno;
  }
  return error;
}

Result<void> PerfBuffers::add_thread(int thread) {
  const long processors = ::sysconf(_SC_NPROCESSORS_CONF);
  for (int processor = 0; processor < processors; ++processor) {
    const std::optional<int> refused = open_buffer(thread, processor);
    if (refused == ENODEV) {  // the processor is off
      continue;
    }
    if (refused) {
      return open_error(*refused);
    }
    const Buffer& buffer = buffers_.back();
    perf_event_attr faults = attributes_of(PERF_COUNT_SW_PAGE_FAULTS);
    faults.sample_period = 1;
    faults.sample_type |= PERF_SAMPLE_ADDR;
    const int event = open_event(faults, thread, processor);
    if (event < 0) {
      return open_error(errno);
    }
    events_.push_back(event);
    if (::ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, buffer.event) != 0) {
      return open_error(errno);
    }
  }
  return {};
}

void PerfBuffers::read(const std::function<void(std::span<const std::byte>)>& take) {
  for (const Buffer& buffer : buffers_) {
    auto* const header = static_cast<perf_event_mmap_page*>(buffer.map);
    const std::byte* const data = static_cast<const std::byte*>(buffer.map) + kPageBytes;
    const uint64_t head = std::atomic_ref(header->data_head).load(std::memory_order_acquire);
    uint64_t tail = header->data_tail;
    while (tail < head) {
      const size_t at = tail % buffer.bytes;
      perf_event_header record{};
      // Records are aligned to 8 bytes, as is the buffer: a header never goes over its end.
      std::memcpy(&record, data + at, sizeof(record));
      const size_t before_end = std::min<size_t>(record.size, buffer.bytes - at);
      if (before_end < record.size) {
        wrapped_.assign(data + at, data + at + before_end);
        wrapped_.insert(wrapped_.end(), data, data + (record.size - before_end));
        take(wrapped_);
      } else {
        take({data + at, record.size});
      }
      tail += record.size;
    }
    std::atomic_ref(header->data_tail).store(tail, std::memory_order_release);
  }
}

}  // namespace aaco
