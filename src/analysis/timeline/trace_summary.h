// SPDX-License-Identifier: MIT
// What a trace says about each device: where its time went and what ran; and all that was lost on the way there.
#pragma once

#include <vector>

#include "analysis/counters/kernel_counters.h"
#include "analysis/model_run/results.h"
#include "analysis/timeline/advice/finding.h"
#include "analysis/timeline/communication/clock_alignment.h"
#include "analysis/timeline/communication/communication.h"
#include "analysis/timeline/communication/rank_comparison.h"
#include "analysis/timeline/critical_path/critical_path.h"
#include "analysis/timeline/idle_causes.h"
#include "analysis/timeline/join_losses.h"
#include "analysis/timeline/kernel_statistics.h"
#include "analysis/timeline/launch_queue.h"
#include "analysis/timeline/memory/allocator_use.h"
#include "analysis/timeline/memory/memory_operations.h"
#include "analysis/timeline/operators/backward_ratio.h"
#include "analysis/timeline/operators/operator_roofline.h"
#include "analysis/timeline/operators/operator_statistics.h"
#include "analysis/timeline/operators/suspects.h"
#include "analysis/timeline/samples/sampled_kernels.h"
#include "analysis/timeline/serving/engine_steps.h"
#include "analysis/timeline/serving/step_classes.h"
#include "analysis/timeline/time_budget.h"
#include "analysis/timeline/unrecorded_launches.h"
#include "base/memory/machine_memory.h"
#include "base/result.h"
#include "record/events/loss_table.h"

namespace aaco {

struct DeviceSummary {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  int64_t device = kNoId;
  TimeShares budget;
  IdleCauses idle;
  LaunchQueue queue;
  std::vector<CollectiveStatistics> collectives;
  MemoryOperations memory_operations;
  std::vector<KernelStatistics> kernels;  // copies and memory sets too
  uint64_t overlaps = 0;                  // slices that begin before an earlier one of their stream has ended
  UnlinkedSlices unlinked;                // slices whose launching call is not known
  uint64_t unrecorded_replays = 0;        // of graphs, by its rank, that left no slice
  UnrecordedLaunches launches;            // of kernels, by its rank
  bool idle_is_upper_bound = false;       // some of these, or events that were dropped or not read: idle may be less
  // Whether advice may rest on the idle time: not where kernels are missing that may have filled it.
  bool idle_carries_advice = true;
  // Whether it may rest on when the host launched: not where one slice in a hundred starts before its call.
  bool launch_times_carry_advice = true;
};

struct TraceSummary {
  std::vector<DeviceSummary> devices;  // in the order of rank, device and recording
  Communication communication;
  std::vector<RankClock> clocks;  // of the ranks that share collectives with others
  std::vector<RankComparison> ranks;
  std::vector<OperatorWork> operators;
  std::vector<RankRoofline> rooflines;
  std::vector<BackwardRatio> backward_ratios;
  std::vector<Suspect> suspects;
  std::vector<TraceFinding> findings;    // of known patterns, by what each could save at most
  std::vector<Offender> offenders;       // ranked by stake; findings are among them
  std::vector<EngineStep> engine_steps;  // of a program that serves a language model
  std::vector<StepClassSummary> step_classes;
  std::vector<AllocatorUse> memory;
  std::vector<CriticalPath> critical_paths;
  TraceCounters counters;
  PcSamples samples;  // of the program counter
  LossTable losses;   // of the reading, and what could not be joined
};

// What summarise_trace() needs of memory beside the table, by number of events and in any case: more than was measured
// of any mix of events (docs/measuring/trace-files.md); the steps of a serving engine come to it (engine_step_bytes()).
inline constexpr uint64_t kAnalysisBytesPerEvent = 64;
inline constexpr uint64_t kAnalysisBytes = uint64_t{8} << 20;
// Errors: kUnavailable where the machine has not that, or the rows are too many to be numbered.
Result<void> expect_analysis_memory(const EventTable& events,
                                    std::optional<int64_t> available_bytes = available_memory_bytes());

// The order of the events changes nothing but the order of kernels with equal totals.
TraceSummary summarise_trace(const EventTable& events, const RoofSources& roofs = {});

}  // namespace aaco
