// SPDX-License-Identifier: MIT
// Any bytes as a trace in Chrome's format: what was read is written, and what was written is read as the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/files/temporary_folder.h"
#include "event_table.h"
#include "export/export_format.h"
#include "ingest/kineto/kineto.h"
#include "ingest/trace_format.h"

namespace {

using Slices = std::vector<std::pair<int64_t, int64_t>>;

// Starts and lengths, in order, as they are after the earliest time has been moved to 0 where it lies before that.
Slices slices_of(const aaco::EventTable& table) {
  Slices slices;
  int64_t first_ns = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    if (table.shape[i] != aaco::EventShape::kMetadata && table.shape[i] != aaco::EventShape::kUntimed) {
      first_ns = std::min(first_ns, table.start_ns[i]);
    }
  }
  for (size_t i = 0; i < table.size(); ++i) {
    if (table.shape[i] == aaco::EventShape::kSlice) {
      slices.emplace_back(table.start_ns[i] - first_ns, table.duration_ns[i]);
    }
  }
  // Readers take times up to 2^61.
  std::erase_if(slices, [](const auto& slice) { return slice.first + slice.second > int64_t{1} << 61; });
  std::sort(slices.begin(), slices.end());
  return slices;
}

void check_format(const aaco::ExportFormat& format, const aaco::EventTable& table, const std::filesystem::path& path) {
  aaco::fuzz::require(format.write(table, path).has_value());
  if (format.id == std::string_view("xlsx")) {
    return;  // holds analyses, not events: no reader
  }
  const auto again = aaco::read_trace({{path}});
  if (!again) {
    aaco::fuzz::require(table.size() == 0);
    return;
  }
  const Slices before = slices_of(table);
  const Slices after = slices_of(again->events);
  aaco::fuzz::require(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  for (const aaco::Loss loss : {aaco::Loss::kMalformedEvent, aaco::Loss::kTruncated, aaco::Loss::kTrailingData}) {
    aaco::fuzz::require(again->events.losses.count(loss) == 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto folder = aaco::TemporaryFolder::create();
  aaco::fuzz::require(folder.has_value());
  const auto source = aaco::bytes_of({reinterpret_cast<const char*>(data), size});
  aaco::EventTable table;
  table.recordings.push_back({"input", "kineto"});
  if (!aaco::read_kineto(*source, "input", 0, table)) {
    return 0;
  }
  for (const aaco::ExportFormat& format : aaco::all_export_formats()) {
    if (format.id != std::string_view("parquet")) {  // DuckDB's business
      check_format(format, table, folder->path() / format.id);
    }
  }
  return 0;
}
