// SPDX-License-Identifier: MIT
#include "ingest/rocprof/rocprofv3_csv.h"

#include <algorithm>
#include <string_view>

#include "ingest/rocprof/dispatches.h"
#include "ingest/table/csv_table.h"

namespace aaco {

namespace {

using enum ColumnRole;
using Names = std::string_view[];

constexpr std::string_view kCounters = "COUNTER_COLLECTION";  // the category of a dispatch that was counted

constexpr ColumnMapping kColumns[] = {
    {"Start_Timestamp", kStart},
    {"Sample_Timestamp", kStart},
    {"End_Timestamp", kEnd},
    {"Function", kName},
    {"Kernel_Name", kName},
    {"Operation", kName},
    {"Direction", kName},
    {"Instruction", kName},
    {"Domain", kCategory},
    {"Kind", kCategory},
    {"Correlation_Id", kCorrelation},
    {"Process_Id", kProcess},
    {"Thread_Id", kThread},
    {"Agent_Id", kDevice},
    {"Source_Agent_Id", kSource},
    {"Destination_Agent_Id", kDestination},
    {"Stream_Id", kStream},
    {"Queue_Id", kQueue},
    {"Counter_Name", kValueName},
    {"Counter_Value", kValue},
};
constexpr ColumnMapping kNameColumn[] = {{"Name", kName}};

constexpr Names kCounterNeeds = {"Dispatch_Id", "Agent_Id", "Kernel_Name", "Counter_Name", "Counter_Value"};
constexpr Names kKernelNeeds = {"Kind", "Agent_Id", "Kernel_Name", "Start_Timestamp", "End_Timestamp"};
constexpr Names kApiNeeds = {"Domain", "Function", "Correlation_Id", "Start_Timestamp", "End_Timestamp"};
constexpr Names kCopyNeeds = {"Kind", "Direction", "Source_Agent_Id", "Destination_Agent_Id", "Start_Timestamp"};
constexpr Names kMemoryNeeds = {"Kind", "Operation", "Agent_Id", "Start_Timestamp", "End_Timestamp"};
constexpr Names kSampleNeeds = {"Sample_Timestamp", "Exec_Mask", "Dispatch_Id", "Instruction"};
constexpr Names kStatisticsNeeds = {"Name", "Calls", "TotalDurationNs", "AverageNs", "Percentage", "MinNs"};
constexpr Names kAgentNeeds = {"Node_Id", "Logical_Node_Id", "Agent_Type", "Name"};
constexpr Names kDispatch = {"Guid", "Process_Id", "Agent_Id", "Dispatch_Id"};

EventKind kind_of_call(std::string_view domain, std::string_view /*function*/) {
  return domain.starts_with("MARKER_") ? EventKind::kHostRange : EventKind::kHostCall;
}

bool is_to_host(std::string_view direction) { return direction.ends_with("_TO_HOST"); }

constexpr TableKind kKinds[] = {
    {.id = "counter collection",
     .needs = kCounterNeeds,
     .columns = kColumns,
     .kind = EventKind::kKernel,
     .category = kCounters,
     .zero_is_no_start = true,
     .keeps_times = true,
     .event_of = kDispatch},
    {.id = "kernel trace",
     .needs = kKernelNeeds,
     .columns = kColumns,
     .kind = EventKind::kKernel,
     .zero_is_no_start = true},
    {.id = "API trace", .needs = kApiNeeds, .columns = kColumns, .kind_of = kind_of_call},
    {.id = "memory copies",
     .needs = kCopyNeeds,
     .columns = kColumns,
     .kind = EventKind::kCopy,
     .from_source = is_to_host},
    {.id = "allocations and scratch memory", .needs = kMemoryNeeds, .columns = kColumns},
    {.id = "samples of the program counter",
     .needs = kSampleNeeds,
     .columns = kColumns,
     .shape = EventShape::kInstant,
     .category = "PC_SAMPLING"},
    {.id = "statistics", .needs = kStatisticsNeeds, .columns = kNameColumn, .category = "STATISTICS"},
    {.id = "agents", .needs = kAgentNeeds, .columns = kNameColumn, .category = "AGENT"},
};

constexpr CsvFormat kFormat{.kinds = kKinds};

// What stands between the prefix of a run and ".csv".
constexpr std::string_view kSubjects[] = {"kernel",
                                          "hip_api",
                                          "hip_runtime_api",
                                          "hip_compiler_api",
                                          "hsa_api",
                                          "marker_api",
                                          "rccl_api",
                                          "rocdecode_api",
                                          "rocjpeg_api",
                                          "memory_copy",
                                          "memory_allocation",
                                          "memory_alloc",
                                          "scratch_memory",
                                          "domain",
                                          "counter_collection",
                                          "pc_sampling_host_trap",
                                          "pc_sampling_stochastic",
                                          "agent_info"};
constexpr std::string_view kEndings[] = {"_trace.csv", "_stats.csv", ".csv"};

}  // namespace

bool is_rocprofv3_csv(std::string_view head) { return is_csv_table(head, kFormat); }

Result<void> read_rocprofv3_csv(const TraceInput& input, EventTable& into) {
  AACO_TRY(read_csv_table(input.bytes, input.name, input.recording, kFormat, into));
  count_dispatches_once(into, input.recording, "Dispatch_Id", kCounters);
  return {};
}

std::string rocprofv3_recording(const std::filesystem::path& path) {
  std::string text = path.string();
  for (const std::string_view subject : kSubjects) {
    for (const std::string_view ending : kEndings) {
      const std::string tail = std::string("_").append(subject).append(ending);
      if (text.ends_with(tail) && text.size() > tail.size() && text[text.size() - tail.size() - 1] != '/') {
        return text.substr(0, text.size() - tail.size());
      }
    }
  }
  return text;
}

}  // namespace aaco
