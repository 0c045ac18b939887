// SPDX-License-Identifier: MIT
#include "ingest/rocprof/rocprof_csv.h"

#include "ingest/rocprof/dispatches.h"
#include "ingest/rocprof/rocprof_compute_csv.h"
#include "ingest/table/csv_table.h"

namespace aaco {

namespace {

using enum ColumnRole;
using Names = std::string_view[];

constexpr ColumnMapping kColumns[] = {
    {"BeginNs", kStart}, {"EndNs", kEnd},      {"DurationNs", kDuration}, {"KernelName", kName},
    {"gpu-id", kDevice}, {"queue-id", kQueue}, {"pid", kProcess},
};
constexpr ColumnMapping kNameColumn[] = {{"Name", kName}};

constexpr Names kKernelNeeds = {"Index", "KernelName", "gpu-id"};
constexpr Names kStatisticsNeeds = {"Name", "Calls", "TotalDurationNs", "AverageNs", "Percentage"};

constexpr TableKind kKinds[] = {
    {.id = "kernels", .needs = kKernelNeeds, .columns = kColumns, .kind = EventKind::kKernel},
    {.id = "statistics", .needs = kStatisticsNeeds, .columns = kNameColumn, .category = "statistics"},
};

constexpr CsvFormat kFormat{.kinds = kKinds, .open_names = true};

constexpr TableKind kPasses[] = {{.id = "kernels of a workload",
                                  .needs = kKernelNeeds,
                                  .columns = kColumns,
                                  .kind = EventKind::kKernel,
                                  .keeps_times = true}};
constexpr CsvFormat kWorkloadFormat{.kinds = kPasses};

}  // namespace

bool is_rocprof_csv(std::string_view head) { return is_csv_table(head, kFormat); }

Result<void> read_rocprof_csv(const TraceInput& input, EventTable& into) {
  const WorkloadFile of_workload = workload_file(input.path);
  if (of_workload == WorkloadFile::kNone) {
    return read_csv_table(input.bytes, input.name, input.recording, kFormat, into);
  }
  const size_t first = into.size();
  AACO_TRY(read_csv_table(input.bytes, input.name, input.recording, kWorkloadFormat, into));
  count_passes_once(into, input.recording, "Index", first, of_workload == WorkloadFile::kTimes);
  return {};
}

std::string rocprof_recording(const std::filesystem::path& path) {
  if (workload_file(path) != WorkloadFile::kNone) {
    return rocprof_compute_recording(path);
  }
  std::string text = path.string();
  for (const std::string_view ending : {".hip_stats.csv", ".hsa_stats.csv", ".copy_stats.csv", ".stats.csv", ".csv"}) {
    if (text.ends_with(ending)) {
      return text.substr(0, text.size() - ending.size());
    }
  }
  return text;
}

}  // namespace aaco
