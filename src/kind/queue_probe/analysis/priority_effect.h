// SPDX-License-Identifier: MIT
// What a stream's priority does on a loaded device: a kernel becomes ready while device-filling kernels of low priority
// run and are queued on other streams; its own stream has either the same low priority or the highest one, in turns.
//
//   delay  = start of the kernel - end of the marker that it waited for     ns, of the device's clock
//   passed = background kernels that began in between
//   effect = median over pairs of repeats of (delay at low priority) - (delay at the highest), over processes
//
// A positive effect is what priority gains; near zero: the device (or its driver) has the range but does not act on it.
// What it does not tell: preemption of a kernel that runs already; with kernels as long as the background's the waiting
// for the running one to end is in both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/metric/metric.h"
#include "kind/queue_probe/analysis/kernel_stamps.h"

namespace aaco {

struct PriorityRepeat {
  bool high = false;
  KernelStamp marker;
  KernelStamp kernel;
  std::vector<KernelStamp> background;
  bool gate_timed_out = false;
};

struct PriorityRun {
  int32_t lowest = 0;  // as the device counts them; equal: it has none
  int32_t highest = 0;
  std::vector<PriorityRepeat> repeats;
};

struct PriorityEffect {
  MetricValue low_delay;
  MetricValue high_delay;
  MetricValue effect;
  MetricValue low_passed;
  MetricValue high_passed;
  int32_t lowest = 0;
  int32_t highest = 0;
};

PriorityEffect priority_effect(std::span<const PriorityRun> processes);

void to_json(Json& json, const PriorityRepeat& value);
void from_json(const Json& json, PriorityRepeat& value);
void to_json(Json& json, const PriorityRun& value);
void from_json(const Json& json, PriorityRun& value);
void to_json(Json& json, const PriorityEffect& value);
void from_json(const Json& json, PriorityEffect& value);

}  // namespace aaco
