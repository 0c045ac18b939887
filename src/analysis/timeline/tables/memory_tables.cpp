// SPDX-License-Identifier: MIT
// Memory that the framework's allocator gave out.
#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/tables/table_maker.h"

namespace aaco {

Table memory_use_table(const EventTable&, const TraceSummary& summary) {
  TableMaker<MemoryUse> table("memory_use");
  table.integers("recording", "", "index of the recording", [](const MemoryUse& use) { return use.recording; })
      .integers("rank", "", "of the job", [](const MemoryUse& use) { return known_id(use.rank); })
      .integers("device_type", "", "PyTorch's number: 0 the host, 1 CUDA, 6 HIP",
                [](const MemoryUse& use) { return known_id(use.device_type); })
      .integers("device", "", "-1 the host", [](const MemoryUse& use) { return known_id(use.device); })
      .integers("allocations", "1", "", [](const MemoryUse& use) { return to_integer(use.allocations); })
      .integers("frees", "1", "", [](const MemoryUse& use) { return to_integer(use.frees); })
      .integers("allocated_bytes", "bytes", "all allocations together",
                [](const MemoryUse& use) { return use.allocated_bytes; })
      .integers("freed_bytes", "bytes", "", [](const MemoryUse& use) { return use.freed_bytes; })
      .integers("since_beginning", "1",
                "1 where the trace does not say totals: the bytes below are what was allocated since it began",
                [](const MemoryUse& use) { return use.totals ? 0 : 1; })
      .integers("first_bytes", "bytes", "before the first mark", [](const MemoryUse& use) { return use.first_bytes; })
      .integers("last_bytes", "bytes", "", [](const MemoryUse& use) { return use.last_bytes; })
      .integers("peak_bytes", "bytes", "", [](const MemoryUse& use) { return use.peak_bytes; })
      .integers("peak_at_ns", "ns", "", [](const MemoryUse& use) { return use.peak_at_ns; })
      .integers("peak_reserved_bytes", "bytes", "what the allocator held of the device; null where not recorded",
                [](const MemoryUse& use) { return use.peak_reserved_bytes; });
  for (const MemoryUse& use : summary.memory) {
    table.add(use);
  }
  return table.finish();
}

}  // namespace aaco
