// SPDX-License-Identifier: MIT
// How far the communication of a training step hid behind its computation, on every rank, from the devices' own
// records: the analyses of `aaco trace` (analysis/timeline), step by step. All times are nanoseconds of a step.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "record/events/event_table.h"

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
  int64_t last = 0;                             // collectives to which it surely came last, of all steps
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
  // (serial - overlapped) / (serial - longest), 0 to 1; none where there is nothing to hide, or `no_share` says why. Of
  // steps in turns the mean over pairs of turns, each of its own times; those above are of all steps.
  std::optional<double> share;
  // Student's (95 %), over pairs of turns.
  std::optional<double> share_low;
  std::optional<double> share_high;
  std::string no_share;
};

// Steps behind each other, as they are or one by one, and their device in the middle of them.
struct RecordedTurn {
  int64_t rank = 0;
  bool overlapped = true;
  std::optional<double> clock_mhz;
  std::optional<double> power_w;
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
  std::optional<double> contention_tax_ns;      // mean over ranks; of the kernels that can be told apart
  std::string no_contention_tax;                // why
  std::optional<double> computation_growth_ns;  // of all these kernels, beside communication or not
  std::vector<RecordedTurn> turns;              // in the order in which they were recorded
  std::vector<KernelContention> contention;     // most extra first
  std::vector<std::string> unavailable;         // what could not be told, and why
};

// The clock of a rank's times: ranks of one node share it. Between nodes, times are wrong by both errors together at
// most.
struct RankNode {
  int64_t node = 0;
  int64_t clock_error_ns = 0;
};

// Steps of all ranks on one clock. Collectives carry the arguments that PyTorch's traces have (name, group, size).
struct OverlapRecords {
  const EventTable& overlapped;
  int64_t steps = 0;
  // The same steps on the same streams, not captured, and nothing beside anything; null: none.
  const EventTable* alone = nullptr;
  int64_t alone_steps = 0;
  // Both were recorded in turns of so many steps: the first of a turn does not begin with the end of the one before.
  // 0: each all at once.
  int64_t turn_steps = 0;
  std::vector<RecordedTurn> turns = {};  // NOLINT(readability-redundant-member-init): of earlier ones nothing is known
  std::vector<RankNode> nodes = {};      // NOLINT(readability-redundant-member-init): by rank; empty: all are of one
};

// Errors: kInvalid where a stream did not do the same things in every step.
Result<OverlapFigures> overlap_figures(const OverlapRecords& records);

void to_json(Json& json, const StepShares& shares);
void from_json(const Json& json, StepShares& shares);
void to_json(Json& json, const RecordedTurn& turn);
void from_json(const Json& json, RecordedTurn& turn);
void to_json(Json& json, const OverlapFigures& figures);
void from_json(const Json& json, OverlapFigures& figures);

}  // namespace aaco
