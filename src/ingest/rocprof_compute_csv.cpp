// SPDX-License-Identifier: MIT
#include "ingest/rocprof_compute_csv.h"

#include "ingest/dispatches.h"
#include "ingest/table/csv_table.h"

namespace aaco {

namespace {

using enum ColumnRole;
using Names = std::string_view[];

constexpr TableColumn kColumns[] = {
    {"Start_Timestamp", kStart}, {"End_Timestamp", kEnd}, {"Kernel_Name", kName},       {"GPU_ID", kDevice},
    {"Queue_ID", kQueue},        {"queue-id", kQueue},    {"Counter_Name", kValueName}, {"Counter_Value", kValue},
};
constexpr TableColumn kKernelName[] = {{"Kernel_Name", kName}};

constexpr Names kLongNeeds = {"Dispatch_ID", "GPU_ID", "Kernel_Name", "Counter_Name", "Counter_Value"};
constexpr Names kWideNeeds = {"Dispatch_ID", "Kernel_Name", "GPU_ID", "Start_Timestamp", "End_Timestamp"};
constexpr Names kDispatchNeeds = {"Dispatch_ID", "Kernel_Name"};
constexpr Names kTopNeeds = {"Kernel_Name", "Count", "Sum(ns)", "Mean(ns)"};
constexpr Names kSystemNeeds = {"workload_name", "command", "ip_blocks", "gpu_arch"};
constexpr Names kRoofNeeds = {"device", "HBMBw", "L2Bw", "FP32Flops"};
constexpr Names kPass = {"GPU_ID", "Dispatch_ID", "Start_Timestamp"};

constexpr TableKind kKinds[] = {
    {.id = "counters",
     .needs = kLongNeeds,
     .columns = kColumns,
     .kind = EventKind::kKernel,
     .keeps_times = true,
     .event_of = kPass},
    {.id = "dispatches", .needs = kWideNeeds, .columns = kColumns, .kind = EventKind::kKernel, .keeps_times = true},
    {.id = "dispatches without times", .needs = kDispatchNeeds, .columns = kColumns, .kind = EventKind::kKernel},
    {.id = "sums of kernels", .needs = kTopNeeds, .columns = kKernelName, .category = "statistics"},
    {.id = "the system", .needs = kSystemNeeds, .name = "sysinfo", .category = "system"},
    {.id = "measured roofs", .needs = kRoofNeeds, .name = "roofline", .category = "roof"},
};

constexpr CsvFormat kFormat{.kinds = kKinds};

}  // namespace

bool is_rocprof_compute_csv(std::string_view head) { return is_csv_table(head, kFormat); }

Result<void> read_rocprof_compute_csv(const TraceInput& input, EventTable& into) {
  AACO_TRY(read_csv_table(input.bytes, input.name, input.recording, kFormat, into));
  count_dispatches_once(into, input.recording, "Dispatch_ID");
  return {};
}

std::string rocprof_compute_recording(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace aaco
