// SPDX-License-Identifier: MIT
#include "ingest/rocprof/rocprof_compute_csv.h"

#include "ingest/rocprof/dispatches.h"
#include "ingest/table/csv_table.h"

namespace aaco {

namespace {

using enum ColumnRole;
using Names = std::string_view[];

constexpr ColumnMapping kColumns[] = {
    {"Start_Timestamp", kStart}, {"End_Timestamp", kEnd}, {"Kernel_Name", kName},       {"GPU_ID", kDevice},
    {"Queue_ID", kQueue},        {"queue-id", kQueue},    {"Counter_Name", kValueName}, {"Counter_Value", kValue},
};
constexpr ColumnMapping kKernelName[] = {{"Kernel_Name", kName}, {"KernelName", kName}};

constexpr Names kLongNeeds = {"Dispatch_ID", "GPU_ID", "Kernel_Name", "Counter_Name", "Counter_Value"};
constexpr Names kWideNeeds = {"Dispatch_ID", "Kernel_Name", "GPU_ID", "Start_Timestamp", "End_Timestamp"};
constexpr Names kDispatchNeeds = {"Dispatch_ID", "Kernel_Name"};
constexpr Names kTopNeeds = {"Kernel_Name", "Count", "Sum(ns)", "Mean(ns)"};
constexpr Names kOldTopNeeds = {"KernelName", "Count", "Sum(ns)", "Mean(ns)"};
constexpr Names kSystemNeeds = {"workload_name", "command", "ip_blocks", "gpu_arch"};
constexpr Names kOldSystemNeeds = {"workload_name", "ip_blocks", "gpu_soc", "numCU"};
constexpr Names kRoofNeeds = {"device", "HBMBw", "L2Bw", "FP32Flops"};
constexpr Names kPass = {"GPU_ID", "Dispatch_ID", "Start_Timestamp"};

constexpr TableKind kKinds[] = {
    {.id = "counters",
     .needs = kLongNeeds,
     .columns = kColumns,
     .kind = EventKind::kKernel,
     .zero_is_no_start = true,
     .keeps_times = true,
     .event_of = kPass},
    {.id = "dispatches",
     .needs = kWideNeeds,
     .columns = kColumns,
     .kind = EventKind::kKernel,
     .zero_is_no_start = true,
     .keeps_times = true},
    {.id = "dispatches without times", .needs = kDispatchNeeds, .columns = kColumns, .kind = EventKind::kKernel},
    {.id = "sums of kernels", .needs = kTopNeeds, .columns = kKernelName, .category = "statistics"},
    {.id = "sums of kernels", .needs = kOldTopNeeds, .columns = kKernelName, .category = "statistics"},
    {.id = "the system", .needs = kSystemNeeds, .name = "sysinfo", .category = "system"},
    {.id = "the system", .needs = kOldSystemNeeds, .name = "sysinfo", .category = "system"},
    {.id = "measured roofs", .needs = kRoofNeeds, .name = "roofline", .category = "roof"},
};

constexpr CsvFormat kFormat{.kinds = kKinds};

}  // namespace

bool is_rocprof_compute_csv(std::string_view head) { return is_csv_table(head, kFormat); }

Result<void> read_rocprof_compute_csv(const TraceInput& input, EventTable& into) {
  const size_t first = into.size();
  AACO_TRY(read_csv_table(input.bytes, input.name, input.recording, kFormat, into));
  count_passes_once(into, input.recording, "Dispatch_ID", first, workload_file(input.path) == WorkloadFile::kTimes);
  return {};
}

WorkloadFile workload_file(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (name == "timestamps.csv" || name == "pmc_perf.csv") {
    return WorkloadFile::kTimes;
  }
  const bool other = name.ends_with(".csv") &&
                     (name.starts_with("pmc_perf_") || name.starts_with("SQ_") || name == "pmc_dispatch_info.csv");
  return other ? WorkloadFile::kOther : WorkloadFile::kNone;
}

std::string rocprof_compute_recording(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace aaco
