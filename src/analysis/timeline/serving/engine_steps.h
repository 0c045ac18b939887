// SPDX-License-Identifier: MIT
// Finds the steps of a serving engine in a trace, what each launched, and why the device was idle in it and before it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/idle_causes.h"
#include "analysis/timeline/serving/engine_step.h"

namespace aaco {

// Memory that the steps of a trace need, at most: all are kept, because figures of a class are of all of its steps.
uint64_t engine_step_bytes(const EventTable& events);

class EngineStepFinder {
 public:
  // Ranges of engines, by the thread that they lie on; where a rank has none, their Python functions.
  explicit EngineStepFinder(const EventTable& events);

  // Gives each slice to the step in whose range its thread launched it; where a rank has no range, to the replay of a
  // graph with attention over a paged cache.
  void begin_device(const DeviceWork& work);
  // Of that device, by time.
  void add_idle(IdleCause cause, const Span& span);
  bool device_has_steps() const { return !device_steps_.empty(); }
  void end_device();

  std::vector<EngineStep> finish();  // once: by recording, rank, start and device

 private:
  struct HostStep {
    EngineStep step;
    uint32_t track = 0;
    bool on_device = false;  // has a row of a device
  };

  void find(StepMark mark, const std::vector<bool>& wanted_ranks);
  void add_range(EventRow row, StepMark mark, const EngineStep& content);
  uint32_t step_of(EventRow call) const;
  void end_idle_span();
  std::vector<uint32_t> rank_of_track() const;

  const EventTable& events_;
  std::vector<uint32_t> rank_of_track_;
  std::vector<bool> rank_has_ranges_;
  std::vector<HostStep> host_steps_;  // by track and start
  std::vector<size_t> first_of_track_;

  std::vector<EngineStep> device_steps_;  // of the device that was begun, by end of work
  std::vector<EngineStep> finished_;
  // The idle span that is being added to, and its longest part.
  size_t idle_step_ = 0;
  Span idle_span_;
  int64_t part_ns_ = 0;
  IdleCause part_cause_ = IdleCause::kUnexplained;
};

}  // namespace aaco
