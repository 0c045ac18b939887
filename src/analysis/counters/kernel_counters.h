// SPDX-License-Identifier: MIT
// What the counters say of each kernel: dispatches whose counters were taken in several passes are put together, the
// dispatches of one name added up, and every figure of formulas.h computed whose counters are all there.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/counters/compiled_formulas.h"
#include "analysis/counters/machine.h"
#include "base/text/enum_words.h"
#include "record/events/event_table.h"

namespace aaco {

struct CounterRoof {
  double value = 0;    // in the metric's unit
  double percent = 0;  // of it that was reached
};

struct CounterValue {
  const CompiledFormula* formula = nullptr;
  uint64_t dispatches = 0;  // that had what the formula needs
  double value = 0;
  double least = 0;  // of one dispatch
  double most = 0;
  std::optional<CounterRoof> roof;      // of the specification
  std::optional<CounterRoof> measured;  // of a benchmark
  bool suspect = false;                 // beyond a roof, above 100 % or below 0: not clipped, and not to be believed
};

// Why a figure has no data.
enum class CounterLack : uint8_t {
  kNotRecorded,  // counters or quantities of `missing`
  kUndefined,    // the formula gives no number: it divides by zero
  kApart,        // all were recorded, but of no dispatch together
};
template <>
inline constexpr EnumWords<CounterLack, 3> kWordsOf<CounterLack>{
    {"not recorded", "divides by zero", "not recorded together"}};

struct CounterGap {
  size_t metric = 0;  // index of counter_metrics()
  CounterLack lack = CounterLack::kNotRecorded;
  std::vector<std::string_view> missing;  // of the formula that lacks the fewest
};

// An operator of the framework that launched the kernel, in any recording of the trace.
struct CounterOperator {
  StringId name = kEmptyString;
  uint64_t launched = 0;
  int64_t device_ns = 0;
};

struct KernelCounters {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  int64_t device = kNoId;
  StringId name = kEmptyString;
  uint64_t dispatches = 0;
  uint64_t timed = 0;                      // of them with a length
  int64_t duration_ns = 0;                 // of those
  std::optional<uint32_t> timed_by;        // recording of another run that the lengths are from
  size_t machine = 0;                      // index of TraceCounters::machines
  std::vector<CounterValue> values;        // by metric
  std::vector<CounterGap> gaps;            // likewise; none of a kernel of which only the launch is recorded
  std::vector<CounterOperator> operators;  // longest first; set by join_operators

  const CounterValue* find(std::string_view metric) const;  // null where it has none
};

struct TraceCounters {
  std::vector<CounterMachine> machines;
  std::vector<KernelCounters> kernels;  // by recording and device, longest first
};

TraceCounters kernel_counters(const EventTable& events);

}  // namespace aaco
