// SPDX-License-Identifier: MIT
// What `aaco guard check` answers; output/ writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "guard/store/guard_rows.h"
#include "verdict/compare.h"
#include "verdict/identity/value_kind.h"

namespace aaco {

// Whether a change is one of the code.
enum class ClockAnswer : uint8_t { kUnknown, kCode, kClock };
template <>
inline constexpr EnumWords<ClockAnswer, 3> kWordsOf<ClockAnswer>{{"clock unknown", "code", "clock"}};

// One sample of both sides.
struct JudgedSample {
  std::string name;               // "" of the only one
  std::string figure = "median";  // what is compared: "time per unit" where an iteration is work of several units
  Comparison comparison;
  ValueKind baseline_kind = ValueKind::kTime;
  ValueKind kind = ValueKind::kTime;     // of the test: another than the baseline's is other work
  std::optional<double> baseline_value;  // median over processes: ns of a time, else as it was given
  std::optional<double> test_value;
  ClockAnswer clock = ClockAnswer::kUnknown;  // of a change
  std::string clock_words;                    // "at one clock +4.9 %"; "" where there is no change
  std::string cause;                          // one sentence; "" where none is known
  // It was regressed before it was found unconfirmed, or the clock's, or open in turns: no baseline for the next one.
  bool found_slower = false;
  bool is_one_sided = false;  // the other side has nothing of this name, however often it is measured
};

// A limit of a gates file, and whether it holds.
struct JudgedGate {
  std::string words;  // "p99 at most 12 ms"
  std::optional<double> value;
  std::string value_words;  // "11.2 ms", or why it is not known
  bool passed = false;
  bool is_open = false;  // it did not pass, but the recording is invalid (`value_words` says why): nothing is decided
};

struct GuardAnswer {
  GuardRecord test;
  std::optional<GuardRecord> baseline;
  std::string no_baseline;           // why there is none
  std::vector<std::string> damaged;  // files of the history that could not be read, each with what to do
  std::vector<JudgedSample> samples;
  std::vector<JudgedGate> gates;
  bool measured_again = false;  // both sides, interleaved: the verdicts are of those
  std::string not_again;        // why not
  int64_t pairs = 0;            // interleaved
  size_t looks = 0;
  double seconds = 0;  // that this took
  double min_effect = 0;
  double level = kVerdictLevel;
};

// Of all samples and gates: regressed where one is or a gate does not hold, then invalid (as an open gate),
// inconclusive, improved, equivalent.
Verdict verdict_of(const GuardAnswer& answer);
// 0 equivalent or improved, 1 regressed, 4 inconclusive or invalid.
int exit_code_of(const GuardAnswer& answer);
// False where something regressed, a gate does not hold, or a sample was found slower: what comes next would be
// compared with a slower state.
bool may_become_baseline(const GuardAnswer& answer);

// The answer in one line: "regressed: +4.8 % [+4.1 %, +5.5 %], 38 interleaved pairs".
std::string headline_of(const GuardAnswer& answer);
// The change of the values as they are shown. A comparison is of times, which rise where a rate falls.
struct ShownChange {
  double ratio = 1;  // test over baseline
  Interval interval;
};
std::optional<ShownChange> shown_change(const JudgedSample& sample);
// Of one sample: "+4.8 % [+4.1 %, +5.5 %]"; "" where there is no interval.
std::string change_words(const JudgedSample& sample);
// Cause, clock and reason of the sample that decided, as sentences without an end; empty where there is nothing to say.
std::vector<std::string> why_lines(const JudgedSample& sample);

void to_json(Json& json, const GuardAnswer& answer);

}  // namespace aaco
