// SPDX-License-Identifier: MIT
// From the end of the call that launched a kernel to the kernel's start:
//
//   delay = start - end of the launching call     ns; negative where the kernel began before the call had returned
//
// Queueing behind earlier work is part of it. Kernels whose call is not recorded, and nodes of graphs, where one call
// starts many kernels, are counted apart.
// What it does not tell: the cost of the call itself (the launch probe measures it), nor why a kernel waited.
#pragma once

#include <span>

#include "kind/queue_run/analysis/signed_figure.h"
#include "kind/queue_run/timeline/kernel_readiness.h"

namespace aaco {

struct LaunchDelay {
  MetricValue p50;  // over processes
  MetricValue p99;  // pooled; no data where there are too few kernels for it
  SignedDistribution delays_ns;
  int64_t without_call = 0;
};

LaunchDelay launch_delay(std::span<const ActivityRun> processes);

void to_json(Json& json, const LaunchDelay& value);
void from_json(const Json& json, LaunchDelay& value);

}  // namespace aaco
