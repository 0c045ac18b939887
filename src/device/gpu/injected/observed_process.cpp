// SPDX-License-Identifier: MIT
#include "device/gpu/injected/observed_process.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/gpu/cupti/cupti_buffers.h"
#include "device/gpu/cupti/cupti_collector.h"
#include "device/gpu/cupti/graph_nodes.h"
#include "device/gpu/cupti/graph_watch.h"
#include "device/gpu/injected/capture_names.h"
#include "device/gpu/injected/host_ranges.h"
#include "device/gpu/injected/own_threads.h"
#include "device/observe_variables.h"
#include "record/device/bell.h"

namespace aaco::gpu {

namespace {

// What a kill may take at most is what came in since the last flush, and what CUPTI keeps of work that still ran.
constexpr auto kFlushEvery = std::chrono::milliseconds(250);
// A flush gives no buffer that holds a record of running work: small ones hold little else.
constexpr size_t kBufferBytes = size_t{1} << 20;

std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  while (!text.empty() && text.back() == '\0') {
    text.pop_back();
  }
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

// As the launcher left it, or the program itself before it used CUDA.
std::string launcher_variables() {
  std::string text;
  for (const observe_variable::RankVariables& launcher : observe_variable::kLaunchers) {
    for (const char* name : {launcher.rank, launcher.local_rank, launcher.world_size}) {
      if (const char* value = name != nullptr ? std::getenv(name) : nullptr; value != nullptr) {
        text += std::string(name) + '=' + value + '\0';
      }
    }
  }
  return text;
}

}  // namespace

ObservedProcess::~ObservedProcess() {
  if (flusher_ && flusher_->joinable()) {
    flusher_->join();
  }
  drop_owner();
}

AacoSink ObservedProcess::sink() {
  return {
      .self = this,
      .push =
          [](void* self, const ActivityRecord* records, size_t count) {
            auto& own = *static_cast<ObservedProcess*>(self);
            if (own.has_ring()) {
              own.ring_->add({records, count});
            }
          },
      .intern = [](void* self, const char* name, size_t length) -> uint32_t {
        auto& own = *static_cast<ObservedProcess*>(self);
        own.names_.emplace_back(name, length);
        if (own.ring_) {
          own.ring_->add_name(own.names_.back());
        }
        return static_cast<uint32_t>(own.names_.size() - 1);
      },
      .dropped =
          [](void* self, uint64_t count) {
            auto& own = *static_cast<ObservedProcess*>(self);
            if (own.has_ring()) {
              own.ring_->page().dropped.fetch_add(count, std::memory_order_relaxed);
            }
          },
  };
}

// Called by one thread at a time: at the start, and by CUPTI's deliveries.
bool ObservedProcess::has_ring() {
  if (ring_ || ring_failed_) {
    return ring_ != nullptr;
  }
  const std::string stem = task_.folder + '/' + std::to_string(::getpid()) + '_' + std::to_string(monotonic_ns());
  ring_path_ = stem + observe_variable::kRingExtension;
  Result<std::unique_ptr<ActivityRingWriter>> ring =
      ActivityRingWriter::create(ring_path_, task_.ring_bytes, command_line());
  if (!ring) {
    ring_failed_ = true;
    std::ofstream(stem + observe_variable::kProblemExtension) << ring.error().message << '\n';
    return false;
  }
  ring_ = std::move(*ring);
  if (task_.from_environment) {  // else another thread may be changing it
    ring_->tell_launcher(launcher_variables());
  }
  for (const std::string& name : names_) {
    ring_->add_name(name);
  }
  if (started_) {  // in the parent of this process
    ring_->note(RingState::kRecording, "");
    start_flushing();
  }
  return true;
}

void ObservedProcess::start() {
  if (!has_ring()) {
    is_over_ = true;
    return;
  }
  started_ = true;
  hold_owner();
  host_ranges().record();
  callback_before_ns_ = cupti_cost().callback_ns;
  const std::optional<CuptiProblem> problem = start_cupti(
      sink(),
      {.buffer_bytes = kBufferBytes, .exclusive = false, .whole_graphs = task_.whole_graphs, .heartbeat = true});
  if (problem) {
    ring_->note(problem->other_profiler ? RingState::kOtherProfiler : RingState::kNotAvailable, problem->text);
    host_ranges().stop();
    is_over_ = true;
    return;
  }
  budget_ = SpanBudget(task_.budget_ppm, ring_->page().made_ns);
  ring_->note(RingState::kRecording, "");
  start_naming();
  start_flushing();
}

void ObservedProcess::start_flushing() {
  host_ranges().on_much(
      [](void* self) {
        auto& own = *static_cast<ObservedProcess*>(self);
        own.ranges_wait_.store(true, std::memory_order_release);
        ring_bell(own.ring_->page().bell);
      },
      this);
  // Without it the end of the program flushes, and full buffers come by themselves.
  flusher_ = start_own_thread("aaco-observe", [this] { keep_flushing(); });
}

void ObservedProcess::keep_flushing() {
  std::atomic<uint32_t>& bell = ring_->page().bell;
  auto flush_at = std::chrono::steady_clock::now() + kFlushEvery;
  while (true) {
    const uint32_t heard = bell.load(std::memory_order_acquire);
    if (is_ending_.load(std::memory_order_acquire)) {
      return;
    }
    if (ring_->page().stop.load(std::memory_order_acquire) != 0) {
      close();
      return;
    }
    if (ranges_wait_.exchange(false, std::memory_order_acq_rel)) {
      hand_over_ranges();
    }
    const auto now = std::chrono::steady_clock::now();
    if (now < flush_at) {
      wait_for_bell(bell, heard, std::chrono::ceil<std::chrono::milliseconds>(flush_at - now));
      continue;
    }
    flush_at = now + kFlushEvery;
    if (is_owner_gone()) {
      leave();
      return;
    }
    flush();
    keep_budget();
  }
}

// A lock tells across containers whether aaco is there, where a process id says nothing.
void ObservedProcess::hold_owner() {
  const std::string path = task_.folder + '/' + observe_variable::kOwnerFile;
  owner_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  struct stat file{};
  if (owner_ >= 0 && ::fstat(owner_, &file) == 0) {
    owner_device_ = file.st_dev;
    owner_inode_ = file.st_ino;
  }
}

// A program that closes all descriptors may have given this number to a file of its own: that is left alone.
void ObservedProcess::drop_owner() {
  struct stat file{};
  if (owner_ >= 0 && ::fstat(owner_, &file) == 0 && file.st_dev == owner_device_ && file.st_ino == owner_inode_) {
    ::close(owner_);
  }
  owner_ = -1;
}

// Only a file that is not there or a lock that is obtained says so. Whatever else fails tells nothing of the owner.
bool ObservedProcess::is_owner_gone() {
  struct stat file{};
  if (owner_ < 0 || ::fstat(owner_, &file) != 0 || file.st_dev != owner_device_ || file.st_ino != owner_inode_) {
    errno = 0;
    hold_owner();
    if (owner_ < 0) {
      return errno == ENOENT;
    }
  }
  if (::flock(owner_, LOCK_SH | LOCK_NB) != 0) {
    return false;
  }
  (void)::flock(owner_, LOCK_UN);  // children share the descriptor: the lock would stay with them
  return true;
}

// Nobody reads any more: what the ring takes is given back, and the program goes on at its own speed.
void ObservedProcess::leave() {
  stop_cupti(delivery_ != Delivery::kToAnother);
  stop_naming();
  host_ranges().stop();
  drop_owner();
  ::unlink(ring_path_.c_str());
  ::unlink((task_.folder + '/' + observe_variable::kOwnerFile).c_str());
  ::rmdir(task_.folder.c_str());  // of the last process; before that it is not empty
  is_over_.store(true, std::memory_order_release);
}

// aaco wants nothing more. Switches of another profiler, which has the records by now, are left as they are.
void ObservedProcess::close() {
  hand_over_ranges();
  if (delivery_ == Delivery::kHere) {
    static_cast<void>(flush_cupti(CuptiFlush::kEnded));
    end_span(static_cast<int64_t>(monotonic_ns()));
  }
  update_costs();
  stop_cupti(delivery_ != Delivery::kToAnother);
  stop_naming();
  host_ranges().stop();
  drop_owner();
  ring_->page().last_flush_ns.store(static_cast<int64_t>(monotonic_ns()), std::memory_order_relaxed);
  ring_->page().state.store(RingState::kEnded, std::memory_order_release);
  is_over_.store(true, std::memory_order_release);
}

// All records go there from now on.
void ObservedProcess::yield_to_other(int64_t since_ns) {
  delivery_ = Delivery::kToAnother;
  other_is_subscribed_ = another_is_subscribed();
  ring_->page().other_since_ns.store(since_ns, std::memory_order_release);
}

// Who has the records tells nobody that it ended. torch.profiler's end is told by the hook in Python; others give their
// subscription back. One that was never subscribed may still be there: then nothing more is recorded.
void ObservedProcess::resume_where_free() {
  ActivityRingPage& page = ring_->page();
  const int64_t since_ns = page.other_since_ns.load(std::memory_order_relaxed);
  if (since_ns == 0 || page.stop.load(std::memory_order_acquire) != 0 || framework_profiler_runs()) {
    return;
  }
  constexpr unsigned kTryEach = 4;  // flush: whoever subscribes at that moment fails
  const bool tries = other_is_subscribed_ && ++waits_ % kTryEach == 0;
  const bool is_free = framework_profiler_has_ended() || (tries && !another_is_subscribed());
  if (!is_free || reclaim_cupti()) {
    return;
  }
  resumed_ns_ = static_cast<int64_t>(monotonic_ns());
  ring_->add_gap({since_ns, resumed_ns_});
  page.other_since_ns.store(0, std::memory_order_release);
  delivery_ = Delivery::kHere;
  budget_.begin_span(resumed_ns_, cost_ns());
}

void ObservedProcess::flush() {
  ActivityRingPage& page = ring_->page();
  const uint64_t began_ns = monotonic_ns();
  hand_over_ranges();
  if (delivery_ == Delivery::kToAnother) {
    resume_where_free();
    return;
  }
  if (delivery_ == Delivery::kPaused) {
    if (framework_profiler_runs()) {  // CUPTI's switches are that one's from now on
      yield_to_other(static_cast<int64_t>(began_ns));
    }
    page.flush_ns.fetch_add(monotonic_ns() - began_ns, std::memory_order_relaxed);
    update_costs();
    return;
  }
  if (framework_profiler_runs() || !cupti_still_delivers()) {
    const auto until_ns = static_cast<int64_t>(cupti_delivered_until_ns());
    const int64_t since_ns = until_ns != 0 ? until_ns : page.made_ns;
    end_span(since_ns);
    yield_to_other(since_ns);
    return;
  }
  const uint64_t callbacks_ns = cupti_cost().callback_ns;
  static_cast<void>(flush_cupti(CuptiFlush::kEnded));  // before there is a context it fails, and nothing is lost
  callback_in_flush_ns_ += cupti_cost().callback_ns - callbacks_ns;
  const uint64_t ended_ns = monotonic_ns();
  page.flush_ns.fetch_add(ended_ns - began_ns, std::memory_order_relaxed);
  page.last_flush_ns.store(static_cast<int64_t>(ended_ns), std::memory_order_relaxed);
  update_costs();
}

// Between CUPTI's deliveries, which store into the same ring.
void ObservedProcess::hand_over_ranges() {
  lock_cupti();
  host_ranges().hand_over(sink());
  unlock_cupti();
}

// What a flush delivers is in both figures, and counts once.
uint64_t ObservedProcess::cost_ns() const {
  const uint64_t callbacks_ns = cupti_cost().callback_ns - callback_before_ns_;
  return callbacks_ns - std::min(callbacks_ns, callback_in_flush_ns_) +
         ring_->page().flush_ns.load(std::memory_order_relaxed);
}

// Between two deliveries: the ring has one writer at a time.
void ObservedProcess::add_span(int64_t start_ns, int64_t end_ns) {
  lock_cupti();
  ring_->add_span(start_ns, end_ns);
  unlock_cupti();
}

// Nothing where its records went to another from the beginning.
void ObservedProcess::end_span(int64_t end_ns) {
  if (task_.budget_ppm != 0 && !budget_.is_paused() && end_ns > budget_.span_start_ns()) {
    add_span(budget_.span_start_ns(), end_ns);
  }
}

void ObservedProcess::keep_budget() {
  if (delivery_ == Delivery::kToAnother) {
    return;
  }
  const uint64_t began_ns = monotonic_ns();
  const int64_t span_start_ns = budget_.span_start_ns();
  switch (budget_.look(static_cast<int64_t>(began_ns), cost_ns())) {
    case SpanBudget::Turn::kGoOn:
      return;
    case SpanBudget::Turn::kPause:
      pause_cupti();
      static_cast<void>(flush_cupti(CuptiFlush::kEnded));
      delivery_ = Delivery::kPaused;
      add_span(span_start_ns, static_cast<int64_t>(began_ns));
      break;
    case SpanBudget::Turn::kResume:
      resume_cupti();
      delivery_ = Delivery::kHere;
      break;
  }
  ring_->page().flush_ns.fetch_add(monotonic_ns() - began_ns, std::memory_order_relaxed);
}

void ObservedProcess::update_costs() {
  ActivityRingPage& page = ring_->page();
  const auto tell = [](std::atomic<uint64_t>& told, uint64_t value) { told.store(value, std::memory_order_relaxed); };
  tell(page.collector_ns, cupti_cost().callback_ns - callback_before_ns_);
  tell(page.cost_ns, cost_ns());
  const RangeCost ranges = host_ranges().cost();
  tell(page.ranges, ranges.ranges);
  tell(page.ranges_ns, ranges.spent_ns);
  tell(page.nvtx_libraries, nvtx_library_count());
  const GraphKernelCounts kernels = graph_nodes().counts();
  tell(page.graph_named, kernels.named);
  tell(page.graph_outside, kernels.outside);
  tell(page.graph_unseen, kernels.unseen);
  tell(page.graph_ambiguous, kernels.ambiguous);
  const CaptureCounts captures = capture_counts();
  tell(page.captures, captures.captures);
  tell(page.unwatched_captures, captures.unwatched);
  tell(page.compiled_captures, captures.compiled);
  tell(page.modules_ns, captures.modules_ns);
  tell(page.operators_ns, captures.operators_ns);
}

void ObservedProcess::end() {
  if (!ring_ || is_over() || !started_) {
    return;
  }
  is_ending_.store(true, std::memory_order_release);
  ring_bell(ring_->page().bell);
  if (flusher_ && flusher_->joinable()) {
    flusher_->join();
  }
  if (is_over()) {
    return;
  }
  hand_over_ranges();
  if (delivery_ == Delivery::kHere) {
    static_cast<void>(cupti_still_delivers());
    static_cast<void>(flush_cupti(CuptiFlush::kAll));
    if (cupti_has_delivered()) {
      end_span(static_cast<int64_t>(monotonic_ns()));
    } else {  // too short a program for the flushes to have told
      ring_->page().other_since_ns.store(resumed_ns_ != 0 ? resumed_ns_ : ring_->page().made_ns,
                                         std::memory_order_release);
    }
  }
  update_costs();
  ring_->page().last_flush_ns.store(static_cast<int64_t>(monotonic_ns()), std::memory_order_relaxed);
  ring_->page().state.store(RingState::kEnded, std::memory_order_release);
}

void ObservedProcess::after_fork_in_child() {
  static_cast<void>(ring_.release());  // its memory goes with the process; unmapping here could take the program's time
  static_cast<void>(flusher_.release());  // a thread that only the parent has
  ranges_wait_.store(false, std::memory_order_relaxed);
}

}  // namespace aaco::gpu
