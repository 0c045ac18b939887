// SPDX-License-Identifier: MIT
// Collectives: of each device, and ranks compared.
#include <algorithm>

#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/tables/table_maker.h"

namespace aaco {

namespace {

// The columns that name a collective and its group.
template <class Row>
void add_group(TableMaker<Row>& table, const EventTable& events) {
  table
      .texts("collective", "its name; the kernel's where the trace does not say",
             [&events](const Row& row) { return known_text(events, row.kind.name); })
      .texts("group", "process group", [&events](const Row& row) { return known_text(events, row.kind.group); })
      .texts("group_ranks", "as the trace writes them",
             [&events](const Row& row) { return known_text(events, row.kind.group_ranks); })
      .integers("group_size", "1", "ranks of the group", [](const Row& row) { return known_id(row.kind.group_size); });
}

}  // namespace

Table collectives_table(const EventTable& events, const TraceSummary& summary) {
  struct Row {
    const DeviceSummary& device;
    const CollectiveStatistics& item;
    const CollectiveKind& kind;
  };
  TableMaker<Row> table("collectives");
  add_device_columns(table);
  add_group(table, events);
  table.texts("element_type", "", [&](const Row& row) { return known_text(events, row.kind.element); })
      .integers("in_elements", "1", "", [](const Row& row) { return known_id(row.kind.in_elements); })
      .integers("out_elements", "1", "", [](const Row& row) { return known_id(row.kind.out_elements); })
      .integers("bytes", "bytes", "of one, as nccl-tests counts them", [](const Row& row) { return row.item.bytes; })
      .integers("count", "1", "", [](const Row& row) { return to_integer(row.item.count); })
      .integers("total_ns", "ns", "sum of durations", [](const Row& row) { return row.item.total_ns; })
      .integers("median_ns", "ns", "the lower of the two middle ones of an even count",
                [](const Row& row) { return row.item.median_ns; })
      .integers("exposed_ns", "ns", "without computation on the device",
                [](const Row& row) { return row.item.exposed_ns; })
      .integers("dependence_proved", "1", "for which a computation is proved to wait",
                [](const Row& row) { return to_integer(row.item.proved); })
      .integers("blocking_ns", "ns", "of those; null where none is proved",
                [](const Row& row) { return row.item.proved > 0 ? std::optional(row.item.blocking_ns) : std::nullopt; })
      .reals("algorithm_bandwidth_gb_s", "GB/s", "bytes over the median",
             [](const Row& row) { return row.item.algorithm_bandwidth; })
      .reals("bus_bandwidth_gb_s", "GB/s", "the same with nccl-tests' factor of the collective",
             [](const Row& row) { return row.item.bus_bandwidth; });
  for (const DeviceSummary& device : summary.devices) {
    for (const CollectiveStatistics& collective : device.collectives) {
      table.add({device, collective, summary.communication.kinds[collective.kind]});
    }
  }
  return table.finish();
}

Table collective_kernels_table(const EventTable& events, const TraceSummary& summary, RowRange rows) {
  struct Row {
    const DeviceSummary& device;
    const CollectiveKernel& item;
    const CollectiveKind& kind;
  };
  TableMaker<Row> table("collective_kernels");
  table.integers("event", "", "row of trace/events", [](const Row& row) { return to_integer(row.item.event); });
  add_device_columns(table);
  add_group(table, events);
  table
      .integers("start_ns", "ns", "",
                [&](const Row& row) { return events.start_ns[static_cast<size_t>(row.item.event)]; })
      .integers("duration_ns", "ns", "",
                [&](const Row& row) { return events.duration_ns[static_cast<size_t>(row.item.event)]; })
      .integers("exposed_ns", "ns", "without computation on the device",
                [](const Row& row) { return row.item.exposed_ns; })
      .integers("blocking_ns", "ns", "null where no computation is proved to wait for it",
                [](const Row& row) { return known_id(row.item.blocking_ns); });
  const GrowingArray<CollectiveKernel>& kernels = summary.communication.kernels;
  const size_t first = std::min(rows.first, kernels.size());
  for (const CollectiveKernel& kernel : kernels.view().subspan(first, std::min(rows.count, kernels.size() - first))) {
    table.add({summary.devices[kernel.device], kernel, summary.communication.kinds[kernel.kind]});
  }
  return table.finish();
}

Table rank_clocks_table(const EventTable&, const TraceSummary& summary) {
  TableMaker<RankClock> table("rank_clocks");
  table.integers("rank", "", "", [](const RankClock& clock) { return clock.rank; })
      .texts("state", "reference, agrees, shifted, inconsistent, undetermined or unknown",
             [](const RankClock& clock) { return word_of(clock.state); })
      .integers("offset_ns", "ns", "was added to its times where ranks are compared",
                [](const RankClock& clock) { return clock.offset_ns; })
      .integers("error_ns", "ns", "the true offset is at most that far from it; null where nothing bounds it",
                [](const RankClock& clock) { return clock.bounded() ? std::optional(clock.error_ns) : std::nullopt; })
      .integers("collectives", "1", "that bound it",
                [](const RankClock& clock) { return to_integer(clock.collectives); });
  for (const RankClock& clock : summary.clocks) {
    table.add(clock);
  }
  return table.finish();
}

Table rank_comparison_table(const EventTable& events, const TraceSummary& summary) {
  struct Row {
    const RankComparison& kind;
    const RankShare& rank;
    std::optional<int64_t> if_compared(int64_t value) const {
      return kind.compared > 0 ? std::optional(value) : std::nullopt;
    }
  };
  TableMaker<Row> table("rank_comparison");
  add_group(table, events);
  table.integers("rank", "", "", [](const Row& row) { return row.rank.rank; })
      .integers("kernels", "1", "", [](const Row& row) { return to_integer(row.rank.kernels); })
      .integers("median_ns", "ns", "of its kernels' durations", [](const Row& row) { return row.rank.median_ns; })
      .texts(
          "matched_by",
          "sequence (numbers in the process group), order (names, sizes and times fit in one way), undetermined (they "
          "fit in several), none (in no way)",
          [](const Row& row) { return word_of(row.kind.basis); })
      .integers("compared", "1", "collectives compared; 0 where it is not known which are the same",
                [](const Row& row) { return to_integer(row.kind.compared); })
      .integers("last", "1", "in which it alone began last; null where none is compared, as all that follow",
                [](const Row& row) { return row.if_compared(to_integer(row.rank.last)); })
      .integers("waited_ns", "ns", "its kernels ran before the last rank's began, summed",
                [](const Row& row) { return row.if_compared(row.rank.waited_ns); })
      .integers("group_median_skew_ns", "ns", "last start - first start",
                [](const Row& row) { return row.if_compared(row.kind.median_skew_ns); })
      .integers("group_max_skew_ns", "ns", "", [](const Row& row) { return row.if_compared(row.kind.max_skew_ns); })
      .integers("group_median_end_spread_ns", "ns", "last end - first end",
                [](const Row& row) { return row.if_compared(row.kind.median_end_spread_ns); })
      .reals("group_algorithm_bandwidth_gb_s", "GB/s", "over the shortest participant",
             [](const Row& row) { return row.kind.algorithm_bandwidth; })
      .reals("group_bus_bandwidth_gb_s", "GB/s", "", [](const Row& row) { return row.kind.bus_bandwidth; });
  for (const RankComparison& comparison : summary.ranks) {
    for (const RankShare& rank : comparison.ranks) {
      table.add({comparison, rank});
    }
  }
  return table.finish();
}

}  // namespace aaco
