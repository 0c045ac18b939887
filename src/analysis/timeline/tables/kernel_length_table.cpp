// SPDX-License-Identifier: MIT
// How much of what kernels take is taken by short ones: classes of length, each four times as long as the one before.
#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/tables/table_maker.h"
#include "record/intervals.h"

namespace aaco {

namespace {

constexpr int64_t kShortestNs = 1'000;  // below it one class
constexpr int64_t kStep = 4;

struct LengthClass {
  int64_t from_ns = 0;
  uint64_t count = 0;
  int64_t total_ns = 0;
};

int64_t class_of(int64_t duration_ns) {
  int64_t from_ns = 0;
  for (int64_t next_ns = kShortestNs; duration_ns >= next_ns; next_ns *= kStep) {
    from_ns = next_ns;
    if (next_ns > INT64_MAX / kStep) {
      break;
    }
  }
  return from_ns;
}

using Place = std::tuple<int64_t, int64_t, uint32_t>;  // rank, device, recording

std::map<Place, std::map<int64_t, LengthClass>> lengths_of(const EventTable& events) {
  std::map<Place, std::map<int64_t, LengthClass>> places;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] == EventKind::kKernel && events.shape[i] == EventShape::kSlice) {
      const Track& track = events.tracks[events.track[i]];
      const int64_t from_ns = class_of(events.duration_ns[i]);
      LengthClass& length_class = places[{track.rank, track.device, track.recording}][from_ns];
      length_class.from_ns = from_ns;
      ++length_class.count;
      length_class.total_ns = saturating_sum(length_class.total_ns, events.duration_ns[i]);
    }
  }
  return places;
}

}  // namespace

Table kernel_lengths_table(const EventTable& events, const TraceSummary& summary) {
  struct Row {
    const DeviceSummary& device;
    const LengthClass& item;
    int64_t all_ns;
  };
  TableMaker<Row> table("kernel_lengths");
  add_device_columns(table);
  table.integers("from_ns", "ns", "shortest of the class", [](const Row& row) { return row.item.from_ns; })
      .integers("below_ns", "ns", "what is shorter belongs to it; null of the last that there can be",
                [](const Row& row) -> std::optional<int64_t> {
                  const int64_t from_ns = row.item.from_ns;
                  return from_ns == 0                  ? std::optional(kShortestNs)
                         : from_ns > INT64_MAX / kStep ? std::nullopt
                                                       : std::optional(from_ns * kStep);
                })
      .integers("count", "1", "kernels", [](const Row& row) { return to_integer(row.item.count); })
      .integers("total_ns", "ns", "sum of their durations", [](const Row& row) { return row.item.total_ns; })
      .reals("share", "1", "of the sum of all kernels of the device", [](const Row& row) -> std::optional<double> {
        return row.all_ns > 0 ? std::optional(static_cast<double>(row.item.total_ns) / static_cast<double>(row.all_ns))
                              : std::nullopt;
      });
  const auto places = lengths_of(events);
  for (const DeviceSummary& device : summary.devices) {
    const auto place = places.find({device.rank, device.device, device.recording});
    if (place == places.end()) {
      continue;
    }
    int64_t all_ns = 0;
    for (const auto& [from_ns, lengths] : place->second) {
      all_ns = saturating_sum(all_ns, lengths.total_ns);
    }
    for (const auto& [from_ns, lengths] : place->second) {
      table.add({device, lengths, all_ns});
    }
  }
  return table.finish();
}

}  // namespace aaco
