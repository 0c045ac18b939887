// SPDX-License-Identifier: MIT
// What it costs a device to go from a kernel of one stream to a kernel of another, from a controlled experiment: the
// same N device-filling kernels behind a gate, on one stream or round robin over k streams, in turns (ABBA), in several
// processes.
//
//   per repeat    the median of gap(n) = mean start(n + 1) - mean end(n) (kernel_stamps.h), over the hand-overs that
//                 change the stream
//   per process   the median over pairs of repeats of (median gap on k streams) - (median gap on one stream)
//   cost          the median over processes, with Student's t interval; ns, may be negative
//   mean cost     the same from (sum of gaps on k streams - sum of gaps on one) / S, S the number of hand-overs that
//                 changed the stream (N - 1 where all did)
//   wall cost     the same from (wall_k - wall_1) / S: without any time stamp of the device
//
// Durations and gaps add up to the span, so that where kernels are as long on both sides the wall cost is the mean
// cost: these two are held against each other. The cost itself is a median: where few hand-overs are long it differs
// from both, and all are right. The overlap of neighbours (last end - first start) is shown beside the gaps.
//
// An independent switch is between kernels that do not depend on each other; in an event-dependent hand-off each kernel
// waits for an event of the one before, which ran on another stream.
// What it does not tell: what a switch costs where kernels do not fill the device (there they overlap), nor what the
// host pays to enqueue on several streams.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/metric/metric.h"
#include "base/json/json_fwd.h"
#include "kind/queue_probe/analysis/agreement.h"
#include "kind/queue_probe/analysis/kernel_stamps.h"

namespace aaco {

enum class SwitchSide : int32_t { kOneStream, kIndependent, kHandOff };

struct SwitchRepeat {
  SwitchSide side = SwitchSide::kOneStream;
  std::vector<KernelStamp> kernels;  // in the order of enqueueing
  double wall_ns = 0;                // by the host's clock, from the gate's opening until all was done
  bool gate_timed_out = false;       // then kernels ran while others were still being enqueued
};

// One process, its repeats in the order in which they ran.
struct SwitchRun {
  int32_t streams = 0;
  std::optional<double> clock_step_ns;  // of the clock of the stamps, as measured
  std::vector<SwitchRepeat> repeats;
};

// Mean cost and wall cost agree where a 90 % interval of their difference (two one-sided tests at 5 %) lies within the
// larger of the clock's step and this part of the larger of both.
inline constexpr double kWallMargin = 0.25;

struct SwitchCost {
  int32_t streams = 0;
  int64_t kernels = 0;  // N
  int64_t processes = 0;
  int64_t pairs = 0;  // of repeats, over all processes
  std::optional<double> clock_step_ns;
  MetricValue one_stream_gap;
  MetricValue switch_gap;
  MetricValue one_stream_overlap;
  MetricValue switch_overlap;
  MetricValue cost;
  MetricValue mean_cost;
  MetricValue wall_cost;
  Agreement agreement;
  int64_t reordered = 0;  // kernels that began before one enqueued earlier; independent switches only
  std::vector<double> process_costs_ns;
  std::vector<double> process_mean_costs_ns;
  std::vector<double> process_wall_costs_ns;
};

// `side`: kIndependent or kHandOff, each against kOneStream. One repeat that was no chain of device-filling kernels
// makes the whole invalid, and names itself.
SwitchCost switch_cost(std::span<const SwitchRun> processes, SwitchSide side);

// The words of the document; another one reads as kOneStream.
void to_json(Json& json, SwitchSide side);
void from_json(const Json& json, SwitchSide& side);
void to_json(Json& json, const SwitchRepeat& value);
void from_json(const Json& json, SwitchRepeat& value);
void to_json(Json& json, const SwitchRun& value);
void from_json(const Json& json, SwitchRun& value);
void to_json(Json& json, const SwitchCost& value);
void from_json(const Json& json, SwitchCost& value);

}  // namespace aaco
