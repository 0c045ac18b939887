// SPDX-License-Identifier: MIT
// Steps of a training, one after the other, each waited for and timed.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "device/ranges/profiler_ranges.h"
#include "engine/recorder.h"
#include "workload/dispatch.h"

namespace aaco {

class StepLoop {
 public:
  // All must outlive the loop; each step goes into the recorder's journal.
  StepLoop(const ProgramTarget& target, Recorder& recorder, Dispatcher& dispatcher)
      : target_(target), recorder_(recorder), dispatcher_(dispatcher) {}

  // Called behind each step, outside of its time, with the number of steps done; an error ends the loop.
  void after_step(std::function<Result<void>(int64_t steps_done)> call) { after_step_ = std::move(call); }

  // Called before the first measured step, and behind the last one with the time that they took.
  void around_measured(std::function<void()> start, std::function<void(double wall_ns)> end) {
    start_ = std::move(start);
    end_ = std::move(end);
  }

  // Until done or interrupted. Errors: what a stream failed at; the journal's; those of after_step().
  Result<void> run(int64_t warmup, int64_t steps);

  // Of the measured steps: in all, and up to the moment when a step was enqueued.
  const std::vector<double>& step_ns() const { return step_ns_; }
  const std::vector<double>& dispatch_ns() const { return dispatch_ns_; }
  double wall_ns() const { return wall_ns_; }
  double outside_ns() const { return outside_ns_; }   // of wall_ns(): in after_step()
  int64_t steps_done() const { return steps_done_; }  // warm-up included

 private:
  Result<void> step(JournalPhase phase);

  const ProgramTarget& target_;
  Recorder& recorder_;
  Dispatcher& dispatcher_;
  std::function<Result<void>(int64_t)> after_step_ = [](int64_t /*steps_done*/) { return Result<void>(); };
  std::function<void()> start_ = [] {};
  std::function<void(double)> end_ = [](double /*wall_ns*/) {};
  const ProfilerRanges& ranges_ = ProfilerRanges::of_process();
  std::vector<double> dispatch_ns_;
  std::vector<double> step_ns_;
  double wall_ns_ = 0;
  double outside_ns_ = 0;
  int64_t steps_done_ = 0;
};

}  // namespace aaco
