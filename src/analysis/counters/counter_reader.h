// SPDX-License-Identifier: MIT
// The counters among the arguments of a trace's kernels, whatever their profiler calls them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/counters/compiled_formulas.h"
#include "record/events/event_table.h"

namespace aaco {

// A metric's name as Nsight Compute writes it, with its unit: "dram__bytes.sum [Mbyte]".
struct LabelledName {
  std::string_view name;
  double factor = 1;  // to bytes, hertz and nanoseconds
};
LabelledName without_unit(std::string_view text);

class CounterReader {
 public:
  explicit CounterReader(const EventTable& events);

  // Whether any argument's name in the trace is of a counter or of a launch.
  bool finds_any() const { return finds_any_; }

  enum class Holds : uint8_t { kNothing, kLaunch, kCounters };
  // Sets the slots (CounterNames) that the event has a value for; the others stay. SQ_ACCUM_PREV_HIRES sums up the
  // level counter before it, and is that one's _ACCUM.
  Holds read(size_t event, std::span<double> slots) const;

  // By which the passes of one dispatch are known.
  std::optional<int64_t> dispatch_of(size_t event) const;

  // Whether an argument of that name is in the trace.
  bool may_hold(size_t slot) const { return there_[slot]; }

  // Whether the slot is a counter of NVIDIA's.
  bool is_nvidia(size_t slot) const { return nvidia_[slot]; }

 private:
  enum class Role : uint8_t { kNone, kLaunch, kCounter, kLevel, kAccumulated, kDispatch };
  struct Meaning {
    Role role = Role::kNone;
    size_t slot = CounterNames::kNone;  // of a level counter that of its _ACCUM
    double factor = 1;
  };

  Meaning meaning_of(std::string_view key) const;

  const EventTable& events_;
  const CounterNames& names_;
  std::vector<Meaning> meanings_;  // by StringId
  std::vector<bool> there_;        // by slot
  std::vector<bool> nvidia_;       // by slot
  bool finds_any_ = false;
};

}  // namespace aaco
