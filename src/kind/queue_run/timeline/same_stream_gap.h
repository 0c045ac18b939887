// SPDX-License-Identifier: MIT
// From one piece of work of a stream to the next kernel of the same stream:
//
//   gap = start - end of the work before on the stream     ns, of kernels that were ready by that end
//
// Kernels that were launched later, or that waited for an event of another stream, were not ready and are counted
// apart, as are those of which that is not known. What it does not tell: whether the device was idle meanwhile; other
// streams may have run, and be the reason.
#pragma once

#include <span>

#include "kind/queue_run/analysis/signed_figure.h"
#include "kind/queue_run/timeline/kernel_readiness.h"

namespace aaco {

struct SameStreamGap {
  MetricValue p50;
  MetricValue p99;
  SignedDistribution gaps_ns;
  int64_t not_ready = 0;
  int64_t unknown = 0;
};

SameStreamGap same_stream_gap(std::span<const ActivityRun> processes);

void to_json(Json& json, const SameStreamGap& value);
void from_json(const Json& json, SameStreamGap& value);

}  // namespace aaco
