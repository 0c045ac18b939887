// SPDX-License-Identifier: MIT
// Memory that the framework's allocator gave out.
#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/tables/table_maker.h"

namespace aaco {

namespace {

// A table whose rows have a member `use`.
template <class Row>
TableMaker<Row> of_memory(const char* name) {
  TableMaker<Row> table(name);
  table.integers("recording", "", "index of the recording", [](const Row& row) { return row.use.recording; })
      .integers("rank", "", "of the job", [](const Row& row) { return known_id(row.use.rank); })
      .integers("device_type", "", "PyTorch's number: 0 the host, 1 CUDA, 6 HIP",
                [](const Row& row) { return known_id(row.use.device_type); })
      .integers("device", "", "-1 the host", [](const Row& row) { return known_id(row.use.device); });
  return table;
}

}  // namespace

Table memory_use_table(const EventTable&, const TraceSummary& summary) {
  struct Row {
    const AllocatorUse& use;
  };
  TableMaker<Row> table = of_memory<Row>("memory_use");
  table.integers("allocations", "1", "", [](const Row& row) { return to_integer(row.use.allocations); })
      .integers("frees", "1", "", [](const Row& row) { return to_integer(row.use.frees); })
      .integers("allocated_bytes", "bytes", "all allocations together",
                [](const Row& row) { return row.use.allocated_bytes; })
      .integers("freed_bytes", "bytes", "", [](const Row& row) { return row.use.freed_bytes; })
      .integers("since_beginning", "1",
                "1 where the trace does not say totals: the bytes below are what was allocated since it began",
                [](const Row& row) { return row.use.totals ? 0 : 1; })
      .integers("first_bytes", "bytes", "before the first mark", [](const Row& row) { return row.use.first_bytes; })
      .integers("last_bytes", "bytes", "", [](const Row& row) { return row.use.last_bytes; })
      .integers("peak_bytes", "bytes", "", [](const Row& row) { return row.use.peak_bytes; })
      .integers("peak_at_ns", "ns", "", [](const Row& row) { return row.use.peak_at_ns; })
      .integers("peak_reserved_bytes", "bytes", "what the allocator held of the device; null where not recorded",
                [](const Row& row) { return row.use.peak_reserved_bytes; });
  for (const AllocatorUse& use : summary.memory) {
    table.add({use});
  }
  return table.finish();
}

Table memory_timeline_table(const EventTable&, const TraceSummary& summary) {
  struct Row {
    const AllocatorUse& use;
    const MostInPart& part;
  };
  TableMaker<Row> table = of_memory<Row>("memory_timeline");
  table
      .integers("start_ns", "ns", "of a part of the time from the first mark to the last, to the next one's",
                [](const Row& row) { return row.part.start_ns; })
      .integers("max_bytes", "bytes", "the most at once", [](const Row& row) { return row.part.most; });
  for (const AllocatorUse& use : summary.memory) {
    for (const MostInPart& part : use.timeline) {
      table.add({use, part});
    }
  }
  return table.finish();
}

}  // namespace aaco
