// SPDX-License-Identifier: MIT
// The slices of a trace that occupied a device, and what they were for. Every analysis of device time starts here.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/lookup/launch_index.h"
#include "base/text/enum_words.h"
#include "record/events/event_row.h"
#include "record/events/event_table.h"
#include "record/intervals.h"

namespace aaco {

enum class WorkClass : uint8_t { kComputation, kCommunication, kCopy };
template <>
inline constexpr EnumWords<WorkClass, 3> kWordsOf<WorkClass>{{"computation", "communication", "copy"}};
inline constexpr size_t kWorkClasses = 3;

struct DeviceSlice {
  EventRow event = 0;
  EventRow call = kNoEvent;  // that launched it; kNoEvent where that is not known
  WorkClass work = WorkClass::kComputation;
  LaunchLink link = LaunchLink::kNoCall;  // why there is no call
};

inline Span span_of(const EventTable& events, const DeviceSlice& slice) {
  return {events.start_ns[slice.event], events.end_ns(slice.event)};
}
// The end of its launching call, from which on the device could have begun it; kNoId where that is not recorded.
inline int64_t submitted_ns(const EventTable& events, const DeviceSlice& slice) {
  return slice.call == kNoEvent ? kNoId : events.end_ns(slice.call);
}

// A device of one rank of a recording, with its slices in the order of the trace.
struct DeviceWork {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  int64_t device = kNoId;
  std::vector<DeviceSlice> slices;
  std::vector<EventRow> waits;  // on its streams
};

// Kernels, copies and memory sets, in the order of rank, device and recording. A memory set counts as computation: it
// occupies the device's queues and moves nothing between memories. Annotations and waits on the device are no work;
// waits are listed apart. Where an id came again and more slices than one could be of the last call with it, while an
// earlier one has none, they are linked to none of them.
std::vector<DeviceWork> device_work(const EventTable& events, const LaunchIndex& launches);

}  // namespace aaco
