// SPDX-License-Identifier: MIT
// What changed on the device from one trace to another: each cause's change as more or fewer executions and the same
// executions slower or faster. Causes are matched by name, shapes of the operator's inputs, and operators around it;
// all of them together are the change of the device time.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "analysis/timeline/operators/call_paths.h"
#include "record/events/event_table.h"
#include "record/events/loss_table.h"

namespace aaco {

struct DiffSide {
  uint64_t count = 0;
  int64_t total_ns = 0;  // sum of durations on the device
};

// Of after less before; both add up to the change of the total.
struct ChangeTerms {
  int64_t count_ns = 0;  // (n - n0) (t + t0) / 2, with t the mean: the rest is time_ns, (t - t0) (n + n0) / 2
  int64_t time_ns = 0;
};
// Rounded once, half away from zero, so that after against before is the negative of before against after. All of what
// is on one side only is of its count. Beyond 64 bits all is of the time.
ChangeTerms change_terms(const DiffSide& before, const DiffSide& after);

struct DiffRow {
  StringId kernel = kEmptyString;    // empty where the row is an operator's
  StringId shapes = kEmptyString;    // of the operator's inputs
  uint32_t path = CallPaths::kNone;  // of the operator
  DiffSide before;
  DiffSide after;
  ChangeTerms terms;
  int64_t change_ns() const { return after.total_ns - before.total_ns; }
};

struct TraceDiff {
  StringTable strings;  // of both traces
  CallPaths paths;
  bool by_shapes = false;  // both traces have shapes; else they are matched without
  bool by_paths = false;   // both have operators
  DiffSide before;         // slices
  DiffSide after;
  // Kinds of devices that the traces name, each once, used or not; empty where a trace names none.
  std::set<std::string> devices_before;
  std::set<std::string> devices_after;
  // Largest change first. Each list adds up to the change.
  std::vector<DiffRow> kernels;    // executions of a kernel, copy or memory set, by what launched it
  std::vector<DiffRow> operators;  // calls that launched something, with what they launched themselves; of what no
                                   // operator launched, in a row without a path, the slices: its terms are the
                                   // sums of those of its kernels
  LossTable losses_before;         // of the reading, and what could not be joined
  LossTable losses_after;
};

// Both name their devices, and not the same: the change is of the devices too.
bool on_other_devices(const TraceDiff& diff);

TraceDiff diff_traces(const EventTable& before, const EventTable& after);

// The terms of all rows together.
ChangeTerms sum_of_terms(const std::vector<DiffRow>& rows);

}  // namespace aaco
