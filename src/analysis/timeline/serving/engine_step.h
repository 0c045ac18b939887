// SPDX-License-Identifier: MIT
// A step of an engine that serves a language model: one forward pass over the requests that its scheduler chose.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "analysis/timeline/idle_causes.h"
#include "base/text/enum_words.h"
#include "record/events/event_row.h"
#include "record/events/event_table.h"
#include "record/intervals.h"

namespace aaco {

enum class StepClass : uint8_t {
  kUnknown,
  kPrefill,  // prompts alone
  kDecode,   // requests that have tokens already
  kMixed,
  kEmpty,  // the engine says that it scheduled nothing
};
template <>
inline constexpr EnumWords<StepClass, 5> kWordsOf<StepClass>{{"unknown", "prefill", "decode", "mixed", "empty"}};
inline constexpr size_t kStepClasses = 5;

// How the trace shows the step, and what tells its class.
enum class StepMark : uint8_t {
  kRange,        // an annotation of the engine names it, and what it holds
  kFrame,        // a Python function of the engine; its attention kernels tell the class
  kGraphReplay,  // a graph with attention over a paged cache was replayed; these kernels tell the class
};
template <>
inline constexpr EnumWords<StepMark, 3> kWordsOf<StepMark>{{"range", "frame", "graph_replay"}};

// What the engine says that it scheduled: null where it does not say.
struct StepBatch {
  std::optional<int64_t> requests;
  std::optional<int64_t> tokens;
  std::optional<int64_t> prefill_requests;
  std::optional<int64_t> prefill_tokens;
  std::optional<int64_t> decode_requests;
  std::optional<int64_t> decode_tokens;
  friend bool operator==(const StepBatch&, const StepBatch&) = default;
};

// On one device: a step that launched on several has a row for each.
struct EngineStep {
  EventRow event = kNoEvent;  // the range, the function or the replaying call
  uint32_t recording = 0;
  int64_t rank = kNoId;
  int64_t device = kNoId;  // where nothing was launched
  StepMark mark = StepMark::kRange;
  StepClass step_class = StepClass::kUnknown;
  StepClass attention = StepClass::kUnknown;  // by the kernels alone
  bool contradictory = false;                 // nested ranges of the step say different things
  StepBatch batch;
  Span host;  // of the event
  Span work;  // from the start of the first slice that it launched to the end of the last; empty without one
  uint64_t kernels = 0;
  uint64_t slices = 0;  // copies and memory sets too
  uint64_t launches = 0;
  uint64_t graph_launches = 0;
  int64_t idle_ns = 0;         // of the device, within `work`
  int64_t idle_before_ns = 0;  // since the last work of the step before on the device
  int64_t longest_idle_ns = 0;
  IdleCause longest_cause = IdleCause::kUnexplained;  // of most of the longest
  std::array<int64_t, kIdleCauses> idle_by_cause_ns = {};
  int64_t host_held_ns = 0;  // of idle_ns: the host had not launched yet, and was not waiting for the device

  bool has_work() const { return slices > 0; }
  // From the start of the range until it and all that it launched have ended.
  Span whole() const { return {host.start_ns, has_work() && work.end_ns > host.end_ns ? work.end_ns : host.end_ns}; }
};

}  // namespace aaco
