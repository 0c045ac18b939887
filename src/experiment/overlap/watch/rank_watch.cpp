// SPDX-License-Identifier: MIT
#include "experiment/overlap/watch/rank_watch.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

namespace aaco {

namespace fs = std::filesystem;

namespace {

constexpr auto kPause = std::chrono::milliseconds(50);
constexpr size_t kMostWatched = 4;  // communicators
constexpr size_t kMostText = 512;

fs::path record_path(const fs::path& folder, int64_t rank) { return folder / fmt::format("watch_{}.bin", rank); }

}  // namespace

// Of one process's life; a rank that ends in good order says so.
struct WatchRecord {
  std::atomic<int64_t> pid;
  std::atomic<int64_t> ended;
  std::atomic<int64_t> heartbeat_ns;
  std::atomic<int64_t> steps_begun;
  std::atomic<int64_t> steps_done;
  std::array<std::atomic<int32_t>, kMostWatched> begun;
  std::array<std::atomic<int32_t>, kMostWatched> done;
  // What this rank has found, before it ends: the others say the same, rather than that this one has ended.
  std::atomic<int64_t> told;
  std::array<char, kMostText> text;
};

namespace {

// A mapping of a rank's file; null where there is none yet.
class MappedRecord {
 public:
  MappedRecord(const fs::path& path, bool make) {
    const int fd = ::open(path.c_str(), make ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0644);
    if (fd < 0) {
      return;
    }
    if (!make || ::ftruncate(fd, sizeof(WatchRecord)) == 0) {
      void* const mapped =
          ::mmap(nullptr, sizeof(WatchRecord), make ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
      record_ = mapped == MAP_FAILED ? nullptr : static_cast<WatchRecord*>(mapped);
    }
    ::close(fd);
  }
  ~MappedRecord() {
    if (record_ != nullptr) {
      ::munmap(record_, sizeof(WatchRecord));
    }
  }
  MappedRecord(const MappedRecord&) = delete;
  MappedRecord& operator=(const MappedRecord&) = delete;

  const WatchRecord* get() const { return record_; }
  WatchRecord* release() { return std::exchange(record_, nullptr); }

 private:
  WatchRecord* record_ = nullptr;
};

// The letter of /proc/PID/stat; '?' where there is no such process.
char state_of(int64_t pid) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
  const size_t behind = stat ? stat->rfind(") ") : std::string::npos;
  return behind == std::string::npos || behind + 2 >= stat->size() ? '?' : (*stat)[behind + 2];
}

// Since a file was last written.
int64_t age_of(const fs::path& path) {
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  return error ? 0 : std::chrono::nanoseconds(fs::file_time_type::clock::now() - written).count();
}

}  // namespace

Result<void> RankWatch::map() {
  const fs::path path = record_path(options_.folder, options_.rank);
  std::error_code ignored;  // of an earlier role, a rank's file may lie there
  fs::remove(path, ignored);
  MappedRecord mapped(path, true);
  if (mapped.get() == nullptr) {
    return file_error(path, "map", errno);
  }
  record_ = mapped.release();
  record_->heartbeat_ns = monotonic_ns();
  record_->pid = ::getpid();
  return {};
}

Result<std::unique_ptr<RankWatch>> RankWatch::start(WatchOptions options) {
  std::unique_ptr<RankWatch> watch(new RankWatch(std::move(options)));
  AACO_TRY(watch->map());
  watch->last_change_ns_ = monotonic_ns();
  watch->thread_ = std::thread([&self = *watch] { self.serve(); });
  return watch;
}

RankWatch::~RankWatch() {
  ends_ = true;
  if (thread_.joinable()) {
    thread_.join();
  }
  if (record_ != nullptr) {
    record_->ended = 1;
    ::munmap(record_, sizeof(WatchRecord));
  }
}

void RankWatch::begin_step(int64_t step) {
  for (size_t i = 0; i < options_.names.size() && options_.progress != nullptr; ++i) {
    options_.progress[i] = ProgressWords();
  }
  record_->steps_begun = step;
}

void RankWatch::end_step(int64_t step) { record_->steps_done = step; }

void RankWatch::serve() {
  while (!ends_ && look()) {
    std::this_thread::sleep_for(kPause);
  }
}

// False: there is a hang, and it was told.
bool RankWatch::look() {
  const int64_t now_ns = monotonic_ns();
  std::vector<int64_t> seen{record_->steps_begun, record_->steps_done};
  for (size_t i = 0; i < options_.names.size() && options_.progress != nullptr; ++i) {
    // A device writes them.
    const volatile ProgressWords& words = options_.progress[i];
    record_->begun.at(i) = words.begun;
    record_->done.at(i) = words.done;
    seen.insert(seen.end(), {record_->begun.at(i), record_->done.at(i)});
  }
  // That this thread did not run is no hang of the step's: its process was stopped, or starved.
  const bool starved = now_ns - record_->heartbeat_ns > options_.limit_ns / 2;
  record_->heartbeat_ns = now_ns;
  if (seen != last_seen_ || record_->steps_begun == record_->steps_done || starved) {
    last_seen_ = std::move(seen);
    last_change_ns_ = now_ns;
  }
  if (now_ns - last_change_ns_ < options_.limit_ns) {
    return true;
  }
  tell(told_by_another().value_or(find_hang(look_at_all(), options_.names, options_.groups)));
  return false;
}

std::optional<Hang> RankWatch::told_by_another() const {
  for (int64_t rank = 0; rank < options_.ranks; ++rank) {
    const MappedRecord mapped(record_path(options_.folder, rank), false);
    if (const WatchRecord* const record = mapped.get(); record != nullptr && record->told != 0) {
      return Hang{rank, HangClass::kSlow, std::string(record->text.data(), ::strnlen(record->text.data(), kMostText))};
    }
  }
  return std::nullopt;
}

void RankWatch::tell(const Hang& hang) {
  hang.text.copy(record_->text.data(), kMostText - 1);
  record_->told = 1;
  options_.on_hang(hang);
}

std::vector<WatchedRank> RankWatch::look_at_all() const {
  std::vector<WatchedRank> ranks;
  const int64_t now_ns = monotonic_ns();
  for (int64_t rank = 0; rank < options_.ranks; ++rank) {
    WatchedRank& seen = ranks.emplace_back();
    seen.rank = rank;
    seen.communicators.resize(options_.names.size());
    const MappedRecord mapped(record_path(options_.folder, rank), false);
    const WatchRecord* const record = mapped.get();
    if (record == nullptr) {
      seen.alive = false;
      continue;
    }
    if (is_of_this_machine(rank)) {
      const char state = state_of(record->pid);
      seen.alive = record->ended == 0 && state != '?' && state != 'Z' && state != 'X';
      seen.stopped = state == 'T' || state == 't';
      seen.silent_ns = now_ns - record->heartbeat_ns;
    } else {  // another machine's process and clock
      seen.alive = record->ended == 0;
      seen.silent_ns = age_of(record_path(options_.folder, rank));
    }
    seen.steps_begun = record->steps_begun;
    seen.steps_done = record->steps_done;
    for (size_t i = 0; i < seen.communicators.size(); ++i) {
      seen.communicators[i] = {record->begun.at(i), record->done.at(i)};
    }
  }
  return ranks;
}

void end_hung_process(const Hang& hang) {
  const Error error{ErrorKind::kResource, hang.text, "distributed.timeout says how long a step may make no progress"};
  fmt::print(stderr, "aaco: {}\nhint: {}\n", error.message, error.hint);
  std::fflush(stderr);
  ::_exit(error.exit_code());
}

}  // namespace aaco
