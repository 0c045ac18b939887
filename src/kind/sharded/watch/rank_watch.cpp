// SPDX-License-Identifier: MIT
#include "kind/sharded/watch/rank_watch.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/process/thread_start.h"
#include "base/side_note.h"
#include "kind/sharded/watch/host_stack.h"

namespace aaco {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kStackPatienceNs = 300'000'000;
constexpr int64_t kOthersPatienceNs = 1'000'000'000;

std::vector<std::vector<std::string>> names_of(const std::vector<CollectiveCommand>& collectives) {
  std::vector<std::vector<std::string>> names;
  for (const CollectiveCommand& command : collectives) {
    const auto communicator = static_cast<size_t>(command.communicator);
    names.resize(std::max(names.size(), communicator + 1));
    names[communicator].push_back(
        fmt::format("{} of {} {}", name_of(command.collective), command.count, name_of(command.dtype)));
  }
  return names;
}

// Since a file was last written.
int64_t age_of(const fs::path& path) {
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  return error ? 0 : std::chrono::nanoseconds(fs::file_time_type::clock::now() - written).count();
}

}  // namespace

RankWatch::RankWatch(WatchOptions options)
    : options_(std::move(options)),
      names_(names_of(options_.collectives)),
      others_(static_cast<size_t>(options_.ranks)),
      host_thread_(::pthread_self()),
      enqueued_(names_.size()) {}

Result<void> RankWatch::map() {
  const fs::path path = watch_record_path(options_.folder, options_.rank);
  std::error_code ignored;  // of an earlier role, a rank's file may lie there
  fs::remove(path, ignored);
  mapped_ = MappedRecord(path, true);
  record_ = mapped_.get();
  if (record_ == nullptr) {
    return file_error(path, "map", errno);
  }
  record_->heartbeat_ns = monotonic_ns();
  record_->pid = ::getpid();
  return {};
}

Result<std::unique_ptr<RankWatch>> RankWatch::start(WatchOptions options) {
  std::unique_ptr<RankWatch> watch(new RankWatch(std::move(options)));
  if (watch->names_.size() > kMostWatched) {
    return Error{ErrorKind::kBug, fmt::format("{} communicators in a step", watch->names_.size()),
                 fmt::format("{} can be watched", kMostWatched)};
  }
  AACO_TRY(watch->map());
  prepare_host_stack();
  watch->last_change_ns_ = monotonic_ns();
  AACO_ASSIGN(watch->thread_, start_thread([&self = *watch] { self.serve(); }));
  return watch;
}

RankWatch::~RankWatch() {
  ends_ = true;
  if (thread_.joinable()) {
    thread_.join();
  }
  if (record_ != nullptr) {
    record_->teardown = TeardownStage::kEnded;
  }
}

void RankWatch::begin_step(int64_t step) {
  for (size_t i = 0; i < names_.size() && options_.progress != nullptr; ++i) {
    options_.progress[i] = ProgressWords();
  }
  std::fill(enqueued_.begin(), enqueued_.end(), 0);
  record_->steps_begun = step;
}

void RankWatch::enqueued(int32_t communicator, Collective collective, int64_t count, Dtype dtype) {
  const int64_t sequence = record_->enqueued + 1;
  RingSlot& slot = record_->ring[static_cast<size_t>(sequence) % kRingSlots];
  slot.sequence = 0;
  slot.step.store(record_->steps_begun, std::memory_order_relaxed);
  slot.communicator.store(communicator, std::memory_order_relaxed);
  slot.number.store(++enqueued_[static_cast<size_t>(communicator)], std::memory_order_relaxed);
  slot.count.store(count, std::memory_order_relaxed);
  slot.collective.store(collective, std::memory_order_relaxed);
  slot.dtype.store(dtype, std::memory_order_relaxed);
  slot.enqueued_ns.store(monotonic_ns(), std::memory_order_relaxed);
  slot.started_ns.store(0, std::memory_order_relaxed);
  slot.done_ns.store(0, std::memory_order_relaxed);
  slot.sequence.store(sequence, std::memory_order_release);
  record_->enqueued.store(sequence, std::memory_order_release);
}

void RankWatch::launched_whole_step() {
  for (const CollectiveCommand& command : options_.collectives) {
    enqueued(command.communicator, command.collective, command.count, command.dtype);
  }
  enqueued_whole_step();
}

// By now all of the step is done, also what no look saw.
void RankWatch::end_step(int64_t step) {
  const int64_t now_ns = monotonic_ns();
  for (size_t i = 0; i < names_.size(); ++i) {
    time_collectives(step, i, {INT32_MAX, INT32_MAX}, now_ns);
  }
  record_->steps_done = step;
}

void RankWatch::tear_down(TeardownStage stage) {
  const std::lock_guard lock(progress_mutex_);
  options_.progress = nullptr;
  record_->teardown = stage;
}

std::optional<Hang> RankWatch::find_mismatch() const { return aaco::find_mismatch(look_at_all(), names_); }

void RankWatch::tell(const Hang& hang) {
  write_text(record_->text, hang.text);
  record_->hung_rank = hang.rank;
  record_->hung_class = hang.kind;
  for (int64_t rank = 0; rank < std::min<int64_t>(options_.ranks, kMostSeenRanks); ++rank) {
    const MappedRecord mapped(watch_record_path(options_.folder, rank), false);
    const WatchRecord* const other = mapped.get();
    record_->seen.at(static_cast<size_t>(rank)) =
        other == nullptr ? RankSighting{'?'}
                         : RankSighting{state_of(rank, other), other->steps_begun, other->steps_done};
  }
  record_->told_ns = monotonic_ns();
}

void RankWatch::serve() {
  while (!ends_ && look()) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(kWatchPauseNs));
  }
}

// Times of this step's collectives that are not known yet, from the last enqueued on.
void RankWatch::time_collectives(int64_t step, size_t communicator, ProgressWords words, int64_t now_ns) {
  const int64_t last = record_->enqueued.load(std::memory_order_acquire);
  const int64_t first = std::max<int64_t>(1, last - static_cast<int64_t>(kRingSlots) + 1);
  for (int64_t sequence = last; sequence >= first; --sequence) {
    RingSlot& slot = record_->ring[static_cast<size_t>(sequence) % kRingSlots];
    if (slot.sequence != sequence || slot.step != step) {
      return;
    }
    if (slot.communicator != static_cast<int64_t>(communicator)) {
      continue;
    }
    if (slot.number <= words.begun && slot.started_ns == 0) {
      slot.started_ns = now_ns;
    }
    if (slot.number <= words.done && slot.done_ns == 0) {
      slot.done_ns = now_ns;
    }
  }
}

// False: there is a hang, and it was told.
bool RankWatch::look() {
  const int64_t now_ns = monotonic_ns();
  const int64_t step = record_->steps_begun;
  std::vector<int64_t> seen{step, record_->steps_done, static_cast<int64_t>(record_->teardown.load())};
  {
    const std::lock_guard lock(progress_mutex_);
    for (size_t i = 0; i < names_.size() && options_.progress != nullptr; ++i) {
      // A device writes them; those of the next step are 0 until it has begun.
      const volatile ProgressWords& words = options_.progress[i];
      const ProgressWords now{words.begun, words.done};
      record_->begun.at(i) = now.begun;
      record_->done.at(i) = now.done;
      seen.insert(seen.end(), {now.begun, now.done});
      if (record_->steps_begun == step) {
        time_collectives(step, i, now, now_ns);
      }
    }
  }
  const std::optional<Hang> told = told_by_another();
  seen.push_back(ranks_in_set_up());
  // That this thread did not run is no hang of the step's: its process was stopped, or starved.
  const bool starved = now_ns - record_->heartbeat_ns > options_.limit_ns / 2;
  record_->heartbeat_ns = now_ns;
  const bool idle = step == record_->steps_done && record_->teardown == TeardownStage::kNone && !sets_up(record_);
  if (seen != last_seen_ || idle || starved) {
    last_seen_ = std::move(seen);
    last_change_ns_ = now_ns;
  }
  if (told) {
    end(*told);
    return false;
  }
  const int64_t waited_ns = now_ns - last_change_ns_;
  if (waited_ns < options_.limit_ns) {
    return true;
  }
  const std::vector<WatchedRank> ranks = look_at_all();
  if (waited_ns < options_.set_up_limit_ns && wait_for_set_up(ranks)) {
    return true;
  }
  end(find_hang(ranks, names_, options_.groups));
  return false;
}

int64_t RankWatch::ranks_in_set_up() const {
  return std::count_if(others_.begin(), others_.end(), [](const MappedRecord& rank) { return sets_up(rank.get()); });
}

std::optional<Hang> RankWatch::told_by_another() {
  for (int64_t rank = 0; rank < options_.ranks; ++rank) {
    MappedRecord& other = others_[static_cast<size_t>(rank)];
    if (other.get() == nullptr || !is_of_this_machine(rank)) {  // a copy from another machine is a new file each time
      other = MappedRecord(watch_record_path(options_.folder, rank), false);
    }
    if (const WatchRecord* const record = other.get(); record != nullptr && record->told_ns != 0) {
      return Hang{record->hung_rank, record->hung_class, read_text(record->text)};
    }
  }
  return std::nullopt;
}

// All leave their stacks before one ends, since the others may not be where they are any more then.
void RankWatch::end(const Hang& hang) {
  if (record_->told_ns == 0) {
    tell(hang);
  }
  leave_stack();
  wait_for_stacks();
  options_.on_hang(hang);
}

void RankWatch::leave_stack() {
  const auto frames = host_stack(host_thread_, kStackPatienceNs);
  if (!frames) {
    write_text(record_->no_stack, frames.error().message);
  } else {
    std::string text;
    for (const StackFrame& frame : *frames) {
      text += fmt::format("{} {:#x} {}\n", frame.module, frame.offset, frame.symbol);
    }
    write_text(record_->stack, text);
  }
  record_->stack_taken = 1;
}

void RankWatch::wait_for_stacks() const {
  const int64_t until_ns = monotonic_ns() + kOthersPatienceNs;
  for (int64_t rank = 0; rank < options_.ranks; ++rank) {
    const auto may_leave_one = [&] {
      const MappedRecord mapped(watch_record_path(options_.folder, rank), false);
      const WatchRecord* const other = mapped.get();
      const char state = state_of(rank, other);
      return other != nullptr && other->stack_taken == 0 && other->teardown != TeardownStage::kEnded && state != '?' &&
             state != 'Z' && state != 'T';
    };
    while (monotonic_ns() < until_ns && may_leave_one()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

// Of another machine's process only what its record says: it runs until it has ended.
char RankWatch::state_of(int64_t rank, const WatchRecord* record) const {
  if (record == nullptr) {
    return '?';
  }
  return is_of_this_machine(rank) ? process_state(record->pid) : 'R';
}

std::vector<WatchedRank> RankWatch::look_at_all() const {
  std::vector<WatchedRank> ranks;
  for (int64_t rank = 0; rank < options_.ranks; ++rank) {
    const MappedRecord mapped(watch_record_path(options_.folder, rank), false);
    const WatchRecord* const record = mapped.get();
    WatchedRank& seen = ranks.emplace_back(watched_rank(rank, record, state_of(rank, record), names_.size()));
    if (!is_of_this_machine(rank)) {  // another machine's clock
      seen.silent_ns = age_of(watch_record_path(options_.folder, rank));
    }
  }
  return ranks;
}

void end_hung_process(const Hang& hang) {
  end_failed_process(
      {ErrorKind::kResource, hang.text, "distributed.timeout says how long a step may make no progress"});
}

void end_failed_process(const Error& error) {
  note("aaco: {}\nhint: {}\n", error.message, error.hint);
  ::_exit(error.exit_code());
}

}  // namespace aaco
