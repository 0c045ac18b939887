// SPDX-License-Identifier: MIT
// What each device did with its time.
#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/tables/table_maker.h"

namespace aaco {

namespace {

// An item that belongs to a device.
template <class Item>
struct OfDevice {
  const DeviceSummary& device;
  const Item& item;
};

template <class Item>
TableMaker<OfDevice<Item>> of_device(const char* name) {
  TableMaker<OfDevice<Item>> table(name);
  add_device_columns(table);
  return table;
}

}  // namespace

Table device_time_table(const EventTable&, const TraceSummary& summary) {
  using Row = OfDevice<TimeShares>;
  TableMaker<Row> table = of_device<TimeShares>("device_time");
  table
      .integers("window_start_ns", "ns", "first start of its slices",
                [](const Row& row) { return row.item.window.start_ns; })
      .integers("window_ns", "ns",
                "to the last end; computation, exposed communication, exposed copy and idle add up to it",
                [](const Row& row) { return row.item.window_ns(); })
      .integers("computation_ns", "ns", "union of kernels that are not communication, and of memory sets",
                [](const Row& row) { return row.item.computation_ns; })
      .integers("exposed_communication_ns", "ns", "communication without computation",
                [](const Row& row) { return row.item.exposed_communication_ns; })
      .integers("exposed_copy_ns", "ns", "copies without either",
                [](const Row& row) { return row.item.exposed_copy_ns; })
      .integers("idle_ns", "ns", "nothing on the device", [](const Row& row) { return row.item.idle_ns; })
      .integers("idle_is_upper_bound", "1",
                "1 where events were dropped or not read, or launches left no records: idle may be less",
                [](const Row& row) { return row.device.idle_is_upper_bound ? 1 : 0; })
      .integers("communication_ns", "ns", "union, exposed or not",
                [](const Row& row) { return row.item.communication_ns; })
      .integers("hidden_communication_ns", "ns", "communication and computation at once",
                [](const Row& row) { return row.item.hidden_communication_ns; })
      .integers("copy_ns", "ns", "union, exposed or not", [](const Row& row) { return row.item.copy_ns; })
      .integers("overlapping_slices", "1", "that begin before an earlier one of their stream has ended",
                [](const Row& row) { return to_integer(row.device.overlaps); })
      .integers("slices_without_launch", "1", "whose launching call is not in the trace",
                [](const Row& row) { return to_integer(row.device.unlinked.no_call); })
      .integers("slices_with_ambiguous_launch", "1", "several calls could have launched them",
                [](const Row& row) { return to_integer(row.device.unlinked.ambiguous); })
      .integers("slices_before_launch", "1", "they start before their call: clocks of host and device disagree",
                [](const Row& row) { return to_integer(row.device.unlinked.before_call); })
      .integers("unrecorded_replays", "1", "launches of graphs by its rank that left no slice",
                [](const Row& row) { return to_integer(row.device.unrecorded_replays); })
      .integers("kernel_launches", "1", "by its rank, but for those that were captured or may have run too late",
                [](const Row& row) { return to_integer(row.device.launches.count.launches); })
      .integers("kernel_launches_without_record", "1", "of them at least so many left no slice",
                [](const Row& row) { return to_integer(row.device.launches.count.unrecorded); })
      .integers("memory_operations", "1", "copies and memory sets",
                [](const Row& row) { return to_integer(row.device.memory_operations.count); })
      .integers("memory_operations_ns", "ns", "sum of their durations",
                [](const Row& row) { return row.device.memory_operations.sum_ns; });
  for (const DeviceSummary& device : summary.devices) {
    table.add({device, device.budget});
  }
  return table.finish();
}

Table idle_causes_table(const EventTable&, const TraceSummary& summary) {
  struct Cause {
    IdleCause cause;
    const IdleShare& share;
  };
  using Row = OfDevice<Cause>;
  TableMaker<Row> table = of_device<Cause>("idle_causes");
  table
      .texts("cause", "docs/measuring/traces.md says what each means",
             [](const Row& row) { return word_of(row.item.cause); })
      .integers("spans", "1", "stretches of idle time", [](const Row& row) { return to_integer(row.item.share.spans); })
      .integers("total_ns", "ns", "all causes of a device add up to its idle time",
                [](const Row& row) { return row.item.share.total_ns; });
  for (const DeviceSummary& device : summary.devices) {
    for (size_t i = 0; i < kIdleCauses; ++i) {
      table.add({device, Cause{static_cast<IdleCause>(i), device.idle.shares[i]}});
    }
  }
  return table.finish();
}

Table idle_holders_table(const EventTable& events, const TraceSummary& summary) {
  using Row = OfDevice<IdleHolder>;
  TableMaker<Row> table = of_device<IdleHolder>("idle_holders");
  table.texts("cause", "as in idle_causes", [](const Row& row) { return word_of(row.item.cause); })
      .texts("name", "of the host call, operator or device slice that held the device; null where nothing is recorded",
             [&](const Row& row) { return known_text(events, row.item.name); })
      .integers("spans", "1", "stretches of idle time", [](const Row& row) { return to_integer(row.item.spans); })
      .integers("total_ns", "ns", "", [](const Row& row) { return row.item.total_ns; });
  for (const DeviceSummary& device : summary.devices) {
    for (const IdleHolder& holder : device.idle.holders) {
      table.add({device, holder});
    }
  }
  return table.finish();
}

Table launch_queue_table(const EventTable&, const TraceSummary& summary) {
  using Row = OfDevice<LaunchQueue>;
  TableMaker<Row> table = of_device<LaunchQueue>("launch_queue");
  table
      .integers("launches", "1",
                "slices whose launching call is known: the other figures are of these; devices without one have no row",
                [](const Row& row) { return to_integer(row.item.launches); })
      .integers("median_delay_ns", "ns", "from the end of the call to the start on the device",
                [](const Row& row) { return row.item.median_delay_ns; })
      .integers("p99_delay_ns", "ns", "the smallest that 99 of 100 do not exceed",
                [](const Row& row) { return row.item.p99_delay_ns; })
      .integers("max_delay_ns", "ns", "", [](const Row& row) { return row.item.max_delay_ns; })
      .integers("negative", "1", "began before the call had returned",
                [](const Row& row) { return to_integer(row.item.negative); })
      .reals("mean_depth", "1", "launched and not ended, over time", [](const Row& row) { return row.item.mean_depth; })
      .integers("max_depth", "1", "", [](const Row& row) { return to_integer(row.item.max_depth); })
      .integers("max_depth_at_ns", "ns", "the first moment", [](const Row& row) { return row.item.max_depth_at_ns; })
      .integers("empty_ns", "ns", "nothing was launched that had not ended",
                [](const Row& row) { return row.item.empty_ns; });
  for (const DeviceSummary& device : summary.devices) {
    if (device.queue.launches > 0) {
      table.add({device, device.queue});
    }
  }
  return table.finish();
}

Table launch_queue_timeline_table(const EventTable&, const TraceSummary& summary) {
  using Row = OfDevice<MostInPart>;
  TableMaker<Row> table = of_device<MostInPart>("launch_queue_timeline");
  table
      .integers("start_ns", "ns", "of a part of the window, to the next one's",
                [](const Row& row) { return row.item.start_ns; })
      .integers("max_depth", "1", "the most slices at once that were launched and had not ended",
                [](const Row& row) { return row.item.most; });
  for (const DeviceSummary& device : summary.devices) {
    for (const MostInPart& part : device.queue.timeline) {
      table.add({device, part});
    }
  }
  return table.finish();
}

Table kernel_statistics_table(const EventTable& events, const TraceSummary& summary) {
  using Row = OfDevice<KernelStatistics>;
  TableMaker<Row> table = of_device<KernelStatistics>("kernel_statistics");
  table
      .texts("name", "of the kernel, copy or memory set",
             [&](const Row& row) { return known_text(events, row.item.name); })
      .texts("class", "computation, communication, copy or set", [](const Row& row) { return word_of(row.item.work); })
      .integers("count", "1", "", [](const Row& row) { return to_integer(row.item.count); })
      .integers("total_ns", "ns", "sum of durations", [](const Row& row) { return row.item.total_ns; })
      .integers("min_ns", "ns", "", [](const Row& row) { return row.item.min_ns; })
      .integers("median_ns", "ns", "the lower of the two middle ones of an even count",
                [](const Row& row) { return row.item.median_ns; })
      .integers("max_ns", "ns", "", [](const Row& row) { return row.item.max_ns; });
  for (const DeviceSummary& device : summary.devices) {
    for (const KernelStatistics& kernel : device.kernels) {
      table.add({device, kernel});
    }
  }
  return table.finish();
}

}  // namespace aaco
