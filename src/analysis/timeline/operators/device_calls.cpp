// SPDX-License-Identifier: MIT
#include <algorithm>
#include <tuple>
#include <vector>

#include "analysis/timeline/names/work_names.h"
#include "analysis/timeline/operators/call_groups.h"
#include "record/intervals.h"

namespace aaco {

namespace {

struct CallSlice {
  EventRow op;
  EventRow event;
};

std::vector<CallSlice> slices_by_call(const RankOperators& rank) {
  std::vector<CallSlice> slices;
  slices.reserve(rank.slices.size());
  for (const LinkedSlice& slice : rank.slices) {
    if (slice.op != kNoEvent) {
      slices.push_back({slice.op, slice.event});
    }
  }
  std::sort(slices.begin(), slices.end(),
            [](const CallSlice& a, const CallSlice& b) { return std::tie(a.op, a.event) < std::tie(b.op, b.event); });
  return slices;
}

int64_t union_ns(const EventTable& events, const std::vector<CallSlice>& slices, size_t first, size_t behind) {
  std::vector<Span> spans;
  for (size_t i = first; i < behind; ++i) {
    spans.push_back({events.start_ns[slices[i].event], events.end_ns(slices[i].event)});
  }
  return length_ns(union_of(spans));
}

WorkPlace place_of(const EventTable& events, EventRow slice) {
  const std::string_view name = events.strings[events.name[slice]];
  if (events.kind[slice] == EventKind::kCopy) {
    return crosses_to_host(name) ? WorkPlace::kHostLink : WorkPlace::kHere;
  }
  return events.kind[slice] == EventKind::kKernel && is_communication(name) ? WorkPlace::kLinks : WorkPlace::kHere;
}

}  // namespace

CallGroups device_calls(const EventTable& events, const RankOperators& rank, OperatorWorks& works) {
  const std::vector<CallSlice> slices = slices_by_call(rank);
  std::map<std::pair<EventKind, StringId>, WorkPlace> places;  // the name decides
  CallGroups groups;
  for (size_t first = 0, behind = 0; first < slices.size(); first = behind) {
    WorkPlace place = WorkPlace::kHere;
    for (; behind < slices.size() && slices[behind].op == slices[first].op; ++behind) {
      const EventRow event = slices[behind].event;
      const auto [entry, added] = places.try_emplace({events.kind[event], events.name[event]});
      if (added) {
        entry->second = place_of(events, event);
      }
      place = std::max(place, entry->second);
    }
    CallGroup& group = groups[{works.key_of(slices[first].op), place}];
    ++group.count;
    group.time_ns = saturating_sum(group.time_ns, union_ns(events, slices, first, behind));
    for (size_t i = first; i < behind; ++i) {
      const EventRow event = slices[i].event;
      KernelShare& kernel = group.kernels[events.name[event]];
      kernel.name = events.name[event];
      ++kernel.count;
      kernel.total_ns = saturating_sum(kernel.total_ns, events.duration_ns[event]);
    }
  }
  return groups;
}

}  // namespace aaco
