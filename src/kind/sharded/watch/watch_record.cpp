// SPDX-License-Identifier: MIT
#include "kind/sharded/watch/watch_record.h"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/files/file.h"

namespace aaco {

namespace fs = std::filesystem;

fs::path watch_record_path(const fs::path& folder, int64_t rank) { return folder / fmt::format("watch_{}.bin", rank); }

MappedRecord::MappedRecord(const fs::path& path, bool make) {
  const int fd = ::open(path.c_str(), make ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0644);
  if (fd < 0) {
    return;
  }
  struct stat status{};
  // Of a file that is just made, the pages are not there yet.
  const bool whole = make ? ::ftruncate(fd, sizeof(WatchRecord)) == 0
                          : ::fstat(fd, &status) == 0 && status.st_size == static_cast<off_t>(sizeof(WatchRecord));
  if (whole) {
    void* const mapped =
        ::mmap(nullptr, sizeof(WatchRecord), make ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
    record_ = mapped == MAP_FAILED ? nullptr : static_cast<WatchRecord*>(mapped);
  }
  ::close(fd);
}

MappedRecord::~MappedRecord() {
  if (record_ != nullptr) {
    ::munmap(record_, sizeof(WatchRecord));
  }
}

MappedRecord::MappedRecord(MappedRecord&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}

MappedRecord& MappedRecord::operator=(MappedRecord&& other) noexcept {
  std::swap(record_, other.record_);
  return *this;
}

std::vector<HungCollective> collectives_in(const WatchRecord& record) {
  const auto known = [](int64_t ns) { return ns == 0 ? std::nullopt : std::optional(ns); };
  std::vector<HungCollective> collectives;
  for (const RingSlot& slot : record.ring) {
    HungCollective one;
    one.sequence = slot.sequence.load(std::memory_order_acquire);
    if (one.sequence == 0) {
      continue;
    }
    one.step = slot.step;
    one.communicator = slot.communicator;
    one.number = slot.number;
    one.operation = name_of(slot.collective.load());
    one.count = slot.count;
    one.type = name_of(slot.dtype.load());
    one.bytes = one.count * size_of(slot.dtype.load());
    one.enqueued_ns = known(slot.enqueued_ns);
    one.started_ns = known(slot.started_ns);
    one.done_ns = known(slot.done_ns);
    if (slot.sequence == one.sequence) {
      collectives.push_back(std::move(one));
    }
  }
  std::sort(collectives.begin(), collectives.end(),
            [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
  return collectives;
}

char process_state(int64_t pid) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
  const size_t behind = stat ? stat->rfind(") ") : std::string::npos;
  return behind == std::string::npos || behind + 2 >= stat->size() ? '?' : (*stat)[behind + 2];
}

bool sets_up(const WatchRecord* record) {
  return record == nullptr || (record->steps_enqueued == 0 && record->teardown == TeardownStage::kNone);
}

WatchedRank watched_rank(int64_t rank, const WatchRecord* record, char state, size_t communicators) {
  WatchedRank seen;
  seen.rank = rank;
  seen.communicators.resize(communicators);
  seen.sets_up = sets_up(record);
  if (record == nullptr) {
    return seen;
  }
  seen.alive = state != '?' && state != 'Z' && state != 'X';
  seen.stopped = state == 'T' || state == 't';
  seen.silent_ns = monotonic_ns() - record->heartbeat_ns;
  seen.steps_begun = record->steps_begun;
  seen.steps_enqueued = record->steps_enqueued;
  seen.steps_done = record->steps_done;
  seen.teardown = record->teardown;
  // Of a step that is done the last look may lack the last marks.
  const bool all_done = seen.steps_done >= seen.steps_begun;
  for (size_t i = 0; i < communicators; ++i) {
    seen.communicators[i] =
        all_done ? ProgressWords{INT32_MAX, INT32_MAX} : ProgressWords{record->begun.at(i), record->done.at(i)};
  }
  seen.collectives = collectives_in(*record);
  return seen;
}

}  // namespace aaco
