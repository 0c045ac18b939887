// SPDX-License-Identifier: MIT
#include "record/device/activity_ring.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/device/bell.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr size_t kLeastSlots = 64;

int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Error system_error(const fs::path& path, int error_number) {
  return {ErrorKind::kResource, path.string() + ": " + std::strerror(error_number),
          "make room there, or name another folder"};
}

Error damaged(const fs::path& path, const char* what) {
  return {ErrorKind::kUsage, path.string() + ": no ring of device activity: " + what,
          "another program wrote it, or another version of aaco"};
}

template <size_t kSize>
void copy_text(std::array<char, kSize>& to, std::string_view text) {
  const size_t size = std::min(text.size(), kSize - 1);
  std::memcpy(to.data(), text.data(), size);
  to[size] = '\0';
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

Result<std::unique_ptr<ActivityRingWriter>> ActivityRingWriter::create(const fs::path& file, size_t bytes,
                                                                       std::string_view program) {
  const uint64_t slots = std::max(bytes / sizeof(ActivityRingSlot), kLeastSlots);
  const size_t size = ActivityRingPage::kBytes + slots * sizeof(ActivityRingSlot);
  const fs::path unfinished = file.string() + ".new";
  const File opened(::open(unfinished.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (opened.descriptor() < 0) {
    return system_error(unfinished, errno);
  }
  // A store into a page that the file system has not got would end the program.
  int failed = EINTR;
  while (failed == EINTR) {
    failed = ::posix_fallocate(opened.descriptor(), 0, static_cast<off_t>(size));
  }
  void* map = failed == 0 ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, opened.descriptor(), 0) : nullptr;
  if (failed != 0 || map == MAP_FAILED) {
    const Error error = system_error(unfinished, failed != 0 ? failed : errno);
    ::unlink(unfinished.c_str());
    return error;
  }
  std::unique_ptr<ActivityRingWriter> writer(new ActivityRingWriter);
  writer->page_ = new (map) ActivityRingPage;
  writer->slots_ = reinterpret_cast<ActivityRingSlot*>(static_cast<char*>(map) + ActivityRingPage::kBytes);
  writer->mapped_bytes_ = size;
  ActivityRingPage& page = *writer->page_;
  page.slots = slots;
  page.slot_bytes = sizeof(ActivityRingSlot);
  page.pid = ::getpid();
  page.parent_pid = ::getppid();
  page.made_ns = now_ns();
  copy_text(page.program, program);
  if (::rename(unfinished.c_str(), file.c_str()) != 0) {
    return system_error(file, errno);
  }
  return writer;
}

ActivityRingWriter::~ActivityRingWriter() { ::munmap(page_, mapped_bytes_); }

uint64_t ActivityRingWriter::room() const {
  return page_->slots - (next_ - page_->read.load(std::memory_order_acquire));
}

void ActivityRingWriter::store(const ActivityRingSlot& slot) { slots_[next_++ % page_->slots] = slot; }

void ActivityRingWriter::store_waiting() {
  for (uint64_t free = waiting_.empty() ? 0 : room(); free > 0 && !waiting_.empty(); --free) {
    store(waiting_.front());
    waiting_.pop_front();
  }
  page_->written.store(next_, std::memory_order_release);
}

uint32_t ActivityRingWriter::add_name(std::string_view name) {
  do {
    ActivityRingSlot slot;
    slot.size = static_cast<uint32_t>(std::min(name.size(), slot.text.size()));
    std::memcpy(slot.text.data(), name.data(), slot.size);
    name.remove_prefix(slot.size);
    slot.what = name.empty() ? ActivityRingSlot::kName : ActivityRingSlot::kNameGoesOn;
    waiting_.push_back(slot);
  } while (!name.empty());
  store_waiting();
  return names_++;
}

void ActivityRingWriter::add_span(int64_t start_ns, int64_t end_ns) {
  ActivityRingSlot slot;
  slot.what = ActivityRingSlot::kSpan;
  slot.record.start_ns = start_ns;
  slot.record.end_ns = end_ns;
  waiting_.push_back(slot);
  store_waiting();
}

void ActivityRingWriter::add(std::span<const ActivityRecord> records) {
  store_waiting();
  const uint64_t fit = waiting_.empty() ? std::min<uint64_t>(room(), records.size()) : 0;
  ActivityRingSlot slot;
  slot.what = ActivityRingSlot::kRecord;
  for (const ActivityRecord& record : records.first(fit)) {
    slot.record = record;
    store(slot);
  }
  page_->written.store(next_, std::memory_order_release);
  page_->stored.fetch_add(fit, std::memory_order_relaxed);
  page_->lost.fetch_add(records.size() - fit, std::memory_order_relaxed);
}

void ActivityRingWriter::tell_launcher(std::string_view variables) { copy_text(page_->launcher, variables); }

void ActivityRingWriter::note(RingState state, std::string_view text) {
  copy_text(page_->note, text);
  page_->state.store(state, std::memory_order_release);
}

void ActivityRingWriter::add_gap(const RecordingGap& gap) {
  const uint32_t count = page_->gap_count.load(std::memory_order_relaxed);
  if (count < page_->gaps.size()) {
    page_->gaps[count] = gap;
    page_->gap_count.store(count + 1, std::memory_order_release);
  } else {
    page_->gaps.back().until_ns = gap.until_ns;
  }
}

Result<std::unique_ptr<ActivityRingReader>> ActivityRingReader::open(const fs::path& file) {
  const File opened(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (opened.descriptor() < 0 || ::fstat(opened.descriptor(), &status) != 0) {
    return system_error(file, errno);
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || size < ActivityRingPage::kBytes + kLeastSlots * sizeof(ActivityRingSlot)) {
    return damaged(file, "too short");
  }
  void* map = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, opened.descriptor(), 0);
  if (map == MAP_FAILED) {
    return system_error(file, errno);
  }
  std::unique_ptr<ActivityRingReader> reader(new ActivityRingReader);
  reader->path_ = file;
  reader->page_ = std::launder(reinterpret_cast<ActivityRingPage*>(map));
  reader->slots_ = reinterpret_cast<const ActivityRingSlot*>(static_cast<char*>(map) + ActivityRingPage::kBytes);
  reader->mapped_bytes_ = size;
  reader->slot_count_ = reader->page_->slots;
  if (reader->page_->magic != ActivityRingPage::kMagic || reader->page_->slot_bytes != sizeof(ActivityRingSlot) ||
      reader->slot_count_ < kLeastSlots ||
      reader->slot_count_ > (size - ActivityRingPage::kBytes) / sizeof(ActivityRingSlot)) {
    return damaged(file, "its page");
  }
  return reader;
}

ActivityRingReader::~ActivityRingReader() { ::munmap(page_, mapped_bytes_); }

void ActivityRingReader::stop() {
  page_->stop.store(1, std::memory_order_release);
  ring_bell(page_->bell);
}

Result<void> ActivityRingReader::read(const TakeName& take_name, const TakeRecords& take_records,
                                      const TakeSpan& take_span) {
  constexpr size_t kMostInBatch = 4096;
  const uint64_t written = page_->written.load(std::memory_order_acquire);
  if (written < next_ || written - next_ > slot_count_) {
    return damaged(path_, "its count");
  }
  const auto hand_over = [&] {
    if (!batch_.empty()) {
      take_records(batch_);
      batch_.clear();
    }
  };
  while (next_ < written) {
    const ActivityRingSlot slot = slots_[next_ % slot_count_];
    ++next_;
    switch (slot.what) {
      case ActivityRingSlot::kRecord:
        if (slot.record.name >= names_ || (slot.record.label >= names_ && slot.record.label != kNoName) ||
            slot.record.kind > kLastActivityKind || !name_.empty()) {
          return damaged(path_, "a record");
        }
        batch_.push_back(slot.record);
        break;
      case ActivityRingSlot::kName:
      case ActivityRingSlot::kNameGoesOn:
        if (slot.size > slot.text.size()) {
          return damaged(path_, "a name");
        }
        name_.append(slot.text.data(), slot.size);
        if (slot.what == ActivityRingSlot::kName) {
          hand_over();
          take_name(name_);
          name_.clear();
          ++names_;
        }
        break;
      case ActivityRingSlot::kSpan:
        if (slot.record.end_ns < slot.record.start_ns || !name_.empty()) {
          return damaged(path_, "a span");
        }
        if (take_span) {
          take_span(slot.record.start_ns, slot.record.end_ns);
        }
        break;
      default:
        return damaged(path_, "a slot");
    }
    if (batch_.size() == kMostInBatch || next_ == written) {
      hand_over();
      page_->read.store(next_, std::memory_order_release);
    }
  }
  return {};
}

}  // namespace aaco
