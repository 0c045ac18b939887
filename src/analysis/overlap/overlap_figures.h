// SPDX-License-Identifier: MIT
// How far the communication of a training step hid behind its computation, on every rank, from the devices' own
// records: the analyses of `aaco trace` (analysis/timeline), step by step. All times are nanoseconds of a step.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "trace/event_table.h"

namespace aaco {

// Where a device's time went in a step; the first three and idle add up to the window, which begins with the end of the
// step before. See timeline/time_budget.h.
struct StepShares {
  double window_ns = 0;
  double computation_ns = 0;
  double exposed_communication_ns = 0;
  double exposed_copy_ns = 0;
  double idle_ns = 0;
  double communication_ns = 0;  // exposed or not
  double hidden_communication_ns = 0;
  double copy_ns = 0;

  // Of the communication, how much ran beside computation; none without communication.
  std::optional<double> communication_hidden() const;
  // Of the computation, beside how much communication ran: the ratio that the public tool names overlap.
  std::optional<double> computation_overlapped() const;
};

struct RankStep {
  int64_t rank = 0;
  int64_t step = 0;  // of the recorded ones, from 0
  StepShares shares;
};

struct RankOverlap {
  int64_t rank = 0;
  StepShares mean;                              // over steps
  std::map<std::string, double> idle_by_cause;  // timeline/idle_causes.h
  double waited_ns = 0;                         // its collectives ran longer than the shortest rank's
  int64_t last = 0;                             // collectives to which it came last, of all steps
};

// Collectives of one kind and size.
struct CollectiveOverlap {
  std::string name;
  std::string group;                          // the communicator
  std::optional<int64_t> bytes;               // as nccl-tests counts the size
  int64_t count = 0;                          // of a step
  double transfer_ns = 0;                     // the shortest over ranks, summed
  double waiting_ns = 0;                      // beyond that, mean over ranks
  double exposed_ns = 0;                      // mean over ranks
  std::optional<double> algorithm_bandwidth;  // bytes a nanosecond of the transfer
  std::optional<double> bus_bandwidth;
};

// Kernels of one name that ran beside communication, and what they take alone.
struct KernelContention {
  std::string name;
  double beside = 0;  // of a step, mean over ranks
  double alone_ns = 0;
  double extra_ns = 0;
};

struct OverlapSpeedup {
  double serial_ns = 0;      // computation, communication and copies, each alone at its fastest, summed
  double longest_ns = 0;     // of the three: what perfect overlap would take
  double overlapped_ns = 0;  // as measured: the median step
  // (serial - overlapped) / (serial - longest); none where there is nothing to hide. Negative: slower than serially.
  std::optional<double> share;
};

struct OverlapFigures {
  int64_t steps = 0;
  double median_step_ns = 0;  // of the slowest rank of each
  std::vector<RankOverlap> ranks;
  std::vector<RankStep> rank_steps;
  std::vector<CollectiveOverlap> collectives;  // longest transfer first
  double transfer_ns = 0;
  double waiting_ns = 0;  // mean over ranks
  std::optional<OverlapSpeedup> speedup;
  std::optional<double> contention_tax_ns;   // mean over ranks; of the kernels that can be told apart
  std::vector<KernelContention> contention;  // most extra first
  std::vector<std::string> unavailable;      // what could not be told, and why
};

// Steps of all ranks on one clock. Collectives carry the arguments that PyTorch's traces have (name, group, size).
struct OverlapRecords {
  const EventTable& overlapped;
  int64_t steps = 0;
  // The same steps on the same streams, not captured, and nothing beside anything; null: none.
  const EventTable* alone = nullptr;
  int64_t alone_steps = 0;
};

// Errors: kInvalid where a stream did not do the same number of things in every step.
Result<OverlapFigures> overlap_figures(const OverlapRecords& records);

void to_json(Json& json, const StepShares& shares);
void from_json(const Json& json, StepShares& shares);
void to_json(Json& json, const OverlapFigures& figures);
void from_json(const Json& json, OverlapFigures& figures);

}  // namespace aaco
