// SPDX-License-Identifier: MIT
#include "report/trace/memory_section.h"

#include <fmt/format.h>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "report/trace/values.h"

namespace aaco::report {

namespace {

std::string bytes_text(int64_t bytes) { return format_si(static_cast<double>(bytes), "B"); }

std::string device_text(const AllocatorUse& use) {
  const bool host = use.device_type == 0;
  return host ? "host" : fmt::format("device {}", use.device == kNoId ? "(not named)" : std::to_string(use.device));
}

}  // namespace

Json memory_operations_json(const MemoryOperations& operations) {
  return {{"count", operations.count},
          {"sum_ns", operations.sum_ns},
          {"ratio_of_count", ratio(static_cast<int64_t>(operations.count), static_cast<int64_t>(operations.slices))},
          {"ratio_of_sum", ratio(operations.sum_ns, operations.slice_sum_ns)}};
}

Json memory_json(const TraceSummary& summary) {
  Json list = Json::array();
  for (const AllocatorUse& use : summary.memory) {
    list.push_back({{"recording", use.recording},
                    {"rank", id_json(use.rank)},
                    {"device_type", id_json(use.device_type)},
                    {"device", id_json(use.device)},
                    {"allocations", use.allocations},
                    {"frees", use.frees},
                    {"allocated_bytes", use.allocated_bytes},
                    {"freed_bytes", use.freed_bytes},
                    {"since_beginning", !use.totals},
                    {"first_bytes", use.first_bytes},
                    {"last_bytes", use.last_bytes},
                    {"peak_bytes", use.peak_bytes},
                    {"peak_at_ns", use.peak_at_ns},
                    {"peak_reserved_bytes", use.peak_reserved_bytes ? Json(*use.peak_reserved_bytes) : Json()},
                    {"timeline", timeline_json(use.timeline)}});
  }
  return list;
}

std::string memory_operations_text(const MemoryOperations& operations) {
  return fmt::format("memory operations {} of {} ({}), {} of the sum of durations\n", operations.count,
                     operations.slices,
                     share_text(static_cast<int64_t>(operations.count), static_cast<int64_t>(operations.slices)),
                     share_text(operations.sum_ns, operations.slice_sum_ns));
}

std::string memory_text(const EventTable& events, const TraceSummary& summary) {
  if (summary.memory.empty()) {
    return "";
  }
  std::vector<std::vector<std::string>> rows{
      {"memory", "allocations", "frees", "at first", "peak", "at last", "peak reserved"}};
  for (const AllocatorUse& use : summary.memory) {
    const char* since = use.totals ? "" : " since the beginning";
    rows.push_back({of_rank(device_text(use) + since, events, use.recording, use.rank), std::to_string(use.allocations),
                    std::to_string(use.frees), bytes_text(use.first_bytes), bytes_text(use.peak_bytes),
                    bytes_text(use.last_bytes),
                    use.peak_reserved_bytes ? bytes_text(*use.peak_reserved_bytes) : "not recorded"});
  }
  return "\n" + format_table(rows);
}

}  // namespace aaco::report
