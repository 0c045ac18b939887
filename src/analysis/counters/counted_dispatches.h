// SPDX-License-Identifier: MIT
// The dispatches of a trace that have counters: a profiler runs a program several times, with other counters each
// time, and writes a dispatch once for each pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/counters/counter_reader.h"
#include "base/memory/growing_array.h"
#include "record/events/event_row.h"
#include "record/events/event_table.h"

namespace aaco {

class CountedDispatch {
 public:
  // `events`: the rows of its passes.
  CountedDispatch(const EventTable& events, const CounterReader& reader, std::span<const EventRow> rows);

  CounterReader::Holds holds() const { return holds_; }
  std::optional<int64_t> duration_ns() const { return duration_ns_; }
  void take_duration(int64_t ns) { duration_ns_ = ns; }  // where its passes have none
  // Of each slot the value of the first pass that has one; NaN where none has.
  std::span<const double> slots() const { return merged_; }
  // The same, but where one pass has all of `slots` those of that pass: what was counted together. Of several the one
  // that has the fewest others.
  std::span<const double> slots_for(std::span<const size_t> slots);

 private:
  struct Value {
    size_t slot;
    double value;
  };
  struct Pass {  // in values_
    size_t first;
    size_t count;
  };

  void keep(std::span<const double> pass);
  double value_of(const Pass& pass, size_t slot) const;  // NaN where the pass has none

  std::vector<Pass> passes_;   // where there are several
  std::vector<Value> values_;  // of each pass by slot
  std::vector<double> merged_;
  std::vector<double> together_;
  std::optional<int64_t> duration_ns_;
  CounterReader::Holds holds_ = CounterReader::Holds::kNothing;  // the most of any pass
};

// An event that may have counters.
struct CountedRow {
  int64_t dispatch = kNoId;  // as its profiler numbers them
  EventRow row = 0;
};

// What a kernel is known by.
struct CountedKernel {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  int64_t device = kNoId;
  StringId name = kEmptyString;
  friend auto operator<=>(const CountedKernel&, const CountedKernel&) = default;
};
CountedKernel counted_kernel(const EventTable& events, const CountedRow& row);

// Of all kernels that may have counters, by kernel, dispatch and row. Where a profiler numbers no dispatches each row
// is one.
GrowingArray<CountedRow> counted_rows(const EventTable& events, const CounterReader& reader);

}  // namespace aaco
