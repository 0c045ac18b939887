// SPDX-License-Identifier: MIT
// Why a device was idle. Each idle span of its time budget ends when a slice begins. Until that slice's launching call
// had returned, the host held it: the cause is what the launching thread was in. From there on the device had the work:
// the cause is what the slice depended on, where that is proved and its end began the idle span.
// docs/measuring/traces.md says more.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/host_timeline.h"
#include "analysis/timeline/stream_dependencies.h"
#include "base/text/enum_words.h"
#include "record/intervals.h"

namespace aaco {

enum class IdleCause : uint8_t {
  kLaunchStarved,       // nothing is recorded on the launching thread
  kHostWaits,           // a call that waits for the device
  kHostCall,            // another call of the runtime or driver, the launching call itself among them
  kHostOperator,        // an operator, in no call
  kHostRange,           // a Python function or an annotation, in no operator
  kAfterCommunication,  // launched; it depends on communication whose end began the span
  kAfterCopy,
  kAfterOtherStream,  // the same of computation on another stream
  kTurnaround,        // the same of computation on its own stream: what the device takes from one to the next
  kUnexplained,       // launched, and nothing recorded that it waited for
  kNoLaunch,          // its launching call is not in the trace
};
template <>
inline constexpr EnumWords<IdleCause, 11> kWordsOf<IdleCause>{
    {"launch_starved", "host_waits", "host_call", "host_operator", "host_range", "after_communication", "after_copy",
     "after_other_stream", "turnaround", "unexplained", "no_launch"}};
inline constexpr size_t kIdleCauses = 11;

// An event by name that a part of the idle time is put down to: what the host was in, what was waited for, or, where
// neither is known, the slice that ended the span.
struct IdleHolder {
  IdleCause cause = IdleCause::kUnexplained;
  StringId name = kEmptyString;
  uint64_t spans = 0;
  int64_t total_ns = 0;
};

struct IdleShare {
  uint64_t spans = 0;  // that do not touch
  int64_t total_ns = 0;
};

// From here on a span of idle is host work, below it may be what launching costs: 10 us for a kernel, and a hundred
// times that for an operator of many that launch nothing, as Python runs them under a profiler.
inline constexpr int64_t kLongIdle_ns = 1'000'000;

// The start of an idle span, as long as what ended it had not been submitted.
struct LongHeldIdle {
  Span span;
  EventRow call = kNoEvent;   // that submitted it
  EventRow first = kNoEvent;  // what its thread was in as the span began
  int64_t waits_ns = 0;       // of the span, in calls that wait for the device
  int64_t length_ns() const { return span.end_ns - span.start_ns; }
};
// The same, shorter than kLongIdle_ns: there may be one for each slice.
struct ShortHeldIdle {
  EventRow call = kNoEvent;
  EventRow first = kNoEvent;
  uint32_t length_ns = 0;
  uint32_t waits_ns = 0;
};

// From here on a launch-starved span is kept with its thread: the kernel's rows may say what held that one.
inline constexpr int64_t kLeastStarved_ns = 10'000;
inline constexpr size_t kMostStarved = 65'536;  // kept of one device: 1.5 MB

struct StarvedIdle {
  Span span;
  uint32_t track = 0;  // of the launching thread
};

struct IdleCauses {
  std::array<IdleShare, kIdleCauses> shares;  // by cause; add up to the idle set
  std::vector<IdleHolder> holders;            // longest first
  std::vector<LongHeldIdle> held_long;        // by time
  std::vector<ShortHeldIdle> held_shortly;
  std::vector<StarvedIdle> starved;  // by time, the first kMostStarved
  uint64_t starved_left_out = 0;     // as long, beyond these
};

// Is given each part of the idle set with its cause, by time: disjoint, and together all of it.
using IdleListener = std::function<void(IdleCause, const Span&)>;

// The kinds of a HostTimeline that idle_causes() can tell apart.
inline constexpr std::array<EventKind, 3> kHostKinds = {EventKind::kHostCall, EventKind::kHostOp,
                                                        EventKind::kHostRange};

struct IdleContext {
  const EventTable& events;
  const HostTimeline& host;  // of kHostKinds
  size_t most_parts;         // of the host's timelines looked into for one device; beyond them idle is unexplained
};

// Of the idle set of `work`'s budget.
IdleCauses idle_causes(const IdleContext& context, const DeviceWork& work, const StreamDependencies& dependencies,
                       const SpanSet& idle, const IdleListener& listener = {});

}  // namespace aaco
