// SPDX-License-Identifier: MIT
// What counters mean, as data: figures, and for each the formulas by which profilers' counters give it, with their
// sources. To add one is a line in amd_formulas.cpp or nvidia_formulas.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/counters/quantities.h"

namespace aaco {

// A figure of a kernel, whichever profiler counted.
struct CounterMetric {
  std::string_view id;     // "l2_hit_rate"
  std::string_view group;  // "caches"
  std::string_view label;  // within its group
  std::string_view unit;   // "%": above 100 it is suspect
};
std::span<const CounterMetric> counter_metrics();
size_t find_counter_metric(std::string_view id);  // counter_metrics().size() where there is none

// A set of architectures.
using CounterArchitectures = uint8_t;
constexpr CounterArchitectures set_of(CounterArchitecture counter_architecture) {
  return static_cast<CounterArchitectures>(1U << static_cast<unsigned>(counter_architecture));
}
inline constexpr CounterArchitectures kUnknownAmd = set_of(CounterArchitecture::kUnknown);
inline constexpr CounterArchitectures kMi100 = set_of(CounterArchitecture::kMi100);
inline constexpr CounterArchitectures kMi200 = set_of(CounterArchitecture::kMi200);
inline constexpr CounterArchitectures kMi300 = set_of(CounterArchitecture::kMi300);
inline constexpr CounterArchitectures kMi350 = set_of(CounterArchitecture::kMi350);
inline constexpr CounterArchitectures kNvidia = set_of(CounterArchitecture::kNvidia);
inline constexpr CounterArchitectures kMi200On = kMi200 | kMi300 | kMi350;
inline constexpr CounterArchitectures kKnownAmd = kMi100 | kMi200On;
inline constexpr CounterArchitectures kAmd = kKnownAmd | kUnknownAmd;

// Over several dispatches of a kernel.
enum class CounterSum : uint8_t {
  kSum,   // of each counter, and then the formula
  kMean,  // of the formula, weighted by the dispatches' durations where all have one: of what is a ratio already
};

// A name for a part of formulas, which write it as @name.
struct CounterTerm {
  std::string_view name;
  CounterArchitectures architectures;
  std::string_view expression;
  std::string_view source;
};

// NOLINTBEGIN(readability-redundant-member-init): GCC wants them where a line of a table ends before them
struct CounterFormula {
  std::string_view metric;
  CounterArchitectures architectures;
  CounterSum sum;
  std::string_view expression;
  std::string_view source;
  std::string_view roof = {};      // of the machine's specification, in the metric's unit
  std::string_view measured = {};  // roof that was measured
  std::string_view note = {};      // what the reader must know
};
// NOLINTEND(readability-redundant-member-init)

// Of several of one metric or name the first whose counters are all there counts.
std::span<const CounterTerm> amd_terms();
std::span<const CounterTerm> nvidia_terms();
std::span<const CounterFormula> amd_formulas();
std::span<const CounterFormula> amd_derived_formulas();      // over what rocprofv3 calls derived counters
std::span<const CounterFormula> rocprof_compute_formulas();  // over figures of rocprof-compute's own
std::span<const CounterFormula> nvidia_formulas();

}  // namespace aaco
