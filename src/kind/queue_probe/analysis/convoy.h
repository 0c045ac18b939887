// SPDX-License-Identifier: MIT
// How long short kernels wait behind long ones of other streams:
//
//   delay  = start - ready     ns, of kernels shorter than `short_ns`
//   behind = at the moment `ready` a kernel of at least `long_ns` of another stream of the device was running
//   effect = median delay behind - median delay else, within a process; over processes as ever
//
// What it does not tell: why the delay: units taken, a shared hardware queue, or the scheduler's order look alike (the
// queue map tells the second). Kernels of which it is not known when they were ready are counted apart.
#pragma once

#include <span>
#include <vector>

#include "kind/queue_probe/analysis/kernel_stamps.h"
#include "kind/queue_run/analysis/signed_figure.h"
#include "kind/queue_run/timeline/kernel_readiness.h"

namespace aaco {

struct ConvoyThresholds {
  int64_t short_ns = 20'000;
  int64_t long_ns = 200'000;
};

struct Convoy {
  ConvoyThresholds thresholds;
  MetricValue alone_p50;
  MetricValue behind_p50;
  MetricValue behind_p99;
  MetricValue effect;
  SignedDistribution alone_ns;
  SignedDistribution behind_ns;
  int64_t unknown = 0;
};

// Kernels of one process each, in any order.
Convoy convoy(std::span<const std::vector<ReadyKernel>> processes, const ConvoyThresholds& thresholds);
Convoy convoy(std::span<const ActivityRun> processes, const ConvoyThresholds& thresholds);

// What the convoy probe saw in one process. Each kernel was ready when the one before on its stream ended; of the first
// of a stream in a repeat that is not known.
struct ConvoyRepeat {
  std::vector<KernelStamp> kernels;
  bool gate_timed_out = false;
};
struct ConvoyRun {
  std::vector<ConvoyRepeat> repeats;  // one after the other
};
Convoy convoy(std::span<const ConvoyRun> processes, const ConvoyThresholds& thresholds);

void to_json(Json& json, const ConvoyRun& value);
void from_json(const Json& json, ConvoyRun& value);
void to_json(Json& json, const Convoy& value);
void from_json(const Json& json, Convoy& value);

}  // namespace aaco
