// SPDX-License-Identifier: MIT
#include "analysis/timeline/memory/allocator_use.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <span>
#include <tuple>

#include "analysis/timeline/lookup/event_arguments.h"
#include "base/memory/growing_array.h"
#include "record/events/event_row.h"

namespace aaco {

namespace {

using Device = std::tuple<uint32_t, int64_t, int64_t, int64_t>;  // recording, rank, type, device

struct Mark {
  int64_t bytes;
  int64_t total_bytes;  // kNoId where the mark does not say
  int64_t reserved_bytes;
  EventRow event;
};

int64_t clamped_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? -INT64_MAX : INT64_MAX) : sum;
}

bool is_memory_mark(const EventTable& events, size_t event) {
  return events.shape[event] == EventShape::kInstant && events.strings[events.name[event]] == "[memory]";
}

std::map<Device, GrowingArray<Mark>> marks_of(const EventTable& events, LossTable& losses) {
  std::map<Device, GrowingArray<Mark>> marks;
  for (size_t i = 0; i < events.size(); ++i) {
    if (!is_memory_mark(events, i)) {
      continue;
    }
    const auto argument = [&](std::string_view key) { return integer_argument(events, i, key).value_or(kNoId); };
    const int64_t bytes = argument("Bytes");
    if (bytes == kNoId) {
      losses.add(Loss::kMalformedEvent, [&] { return fmt::format("\"[memory]\" at {} ns", events.start_ns[i]); });
      continue;
    }
    const Track& track = events.tracks[events.track[i]];
    marks[{track.recording, track.rank, argument("Device Type"), argument("Device Id")}].push_back(
        {bytes, argument("Total Allocated"), argument("Total Reserved"), static_cast<EventRow>(i)});
  }
  return marks;
}

AllocatorUse use_of(const EventTable& events, std::span<const Mark> marks) {
  AllocatorUse use;
  use.totals = std::all_of(marks.begin(), marks.end(), [](const Mark& mark) { return mark.total_bytes != kNoId; });
  use.first_bytes = use.totals ? clamped_sum(marks.front().total_bytes, -marks.front().bytes) : 0;
  use.peak_bytes = use.first_bytes;
  use.peak_at_ns = events.start_ns[marks.front().event];
  use.last_bytes = use.first_bytes;
  MostOverTime timeline(events.start_ns[marks.front().event], events.start_ns[marks.back().event]);
  for (const Mark& mark : marks) {
    const int64_t before_bytes = use.last_bytes;
    use.last_bytes = use.totals ? mark.total_bytes : clamped_sum(before_bytes, mark.bytes);
    if (mark.bytes < 0) {
      ++use.frees;
      use.freed_bytes = clamped_sum(use.freed_bytes, -mark.bytes);
    } else {
      ++use.allocations;
      use.allocated_bytes = clamped_sum(use.allocated_bytes, mark.bytes);
    }
    if (use.last_bytes > use.peak_bytes) {
      use.peak_bytes = use.last_bytes;
      use.peak_at_ns = events.start_ns[mark.event];
    }
    if (mark.reserved_bytes != kNoId) {
      use.peak_reserved_bytes = std::max(use.peak_reserved_bytes.value_or(0), mark.reserved_bytes);
    }
    timeline.add(events.start_ns[mark.event], before_bytes, use.last_bytes);
  }
  use.timeline = timeline.finish();
  return use;
}

}  // namespace

bool is_device_memory(const EventTable& events, size_t event) {
  return is_memory_mark(events, event) && integer_argument(events, event, "Device Type").value_or(0) != 0;
}

std::vector<AllocatorUse> allocator_use(const EventTable& events, LossTable& losses) {
  std::vector<AllocatorUse> all;
  for (auto& [device, marks] : marks_of(events, losses)) {
    std::sort(&marks[0], &marks.back() + 1, [&](const Mark& a, const Mark& b) {
      return std::pair(events.start_ns[a.event], a.event) < std::pair(events.start_ns[b.event], b.event);
    });
    AllocatorUse use = use_of(events, marks.view());
    std::tie(use.recording, use.rank, use.device_type, use.device) = device;
    all.push_back(std::move(use));
  }
  return all;
}

}  // namespace aaco
