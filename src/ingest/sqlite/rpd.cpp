// SPDX-License-Identifier: MIT
// rpd files of rocmProfileData, schema 2: calls, operations of the device, and which call started which operation.
// Format: ROCm/rocmProfileData, rocpd_python/rocpd/schema_data.
#include "ingest/sqlite/formats.h"

namespace aaco {

namespace {

using enum ColumnRole;

constexpr std::string_view kNeeds[] = {"rocpd_api", "rocpd_op", "rocpd_string"};

constexpr SqliteTake kApiName[] = {{"string", "apiName_id"}};
constexpr SqliteTake kArgs[] = {{"string", "args"}};
constexpr SqliteTake kKernelName[] = {{"string", "kernelName_id"}};
constexpr SqliteTake kAutogradName[] = {{"string", "autogradName_id"}};
constexpr SqliteTake kOpType[] = {{"string", "opType"}};
constexpr SqliteTake kDescription[] = {{"string", "description"}};
constexpr SqliteTake kInstead[] = {{"", "description"}};
constexpr SqliteTake kApi[] = {{"api_id", "api_id"}};

constexpr SqliteJoin kApiJoins[] = {
    {"apiName_id", "rocpd_string", "id", kApiName},           {"args_id", "rocpd_string", "id", kArgs},
    {"id", "rocpd_kernelapi", "api_ptr_id", {}, true},        {"id", "rocpd_copyapi", "api_ptr_id", {}, true},
    {"id", "ext_autogradapi", "api_ptr_id", {}, true},        {"kernelName_id", "rocpd_string", "id", kKernelName},
    {"autogradName_id", "rocpd_string", "id", kAutogradName},
};
// Operations without a description are called by their type.
constexpr SqliteJoin kOpJoins[] = {
    {"opType_id", "rocpd_string", "id", kOpType},
    {"description_id", "rocpd_string", "id", kDescription},
    {"opType", "", "", kInstead},
    {"id", "rocpd_api_ops", "op_id", kApi, true},
};

// "Task" is a kernel of a graph: its description is the kernel's name.
EventKind kind_of_op(std::string_view type, std::string_view /*name*/) {
  if (type == "KernelExecution" || type == "Task") {
    return EventKind::kKernel;
  }
  if (type.starts_with("Copy")) {
    return EventKind::kCopy;
  }
  if (type.starts_with("Fill")) {
    return EventKind::kSet;
  }
  return type.starts_with("Barrier") || type.starts_with("Marker") ? EventKind::kDeviceSync : EventKind::kOther;
}

// The profiler records its own work as calls, too.
EventKind kind_of_call(std::string_view /*category*/, std::string_view name) {
  const bool overhead = name.ends_with("::writeRows") || name == "hcc_activity_callback" || name == "rpdflush" ||
                        name == "run_to_completion";
  return overhead ? EventKind::kOverhead : EventKind::kHostCall;
}

constexpr std::string_view kApiNeeds[] = {"start", "end", "apiName_id"};
constexpr std::string_view kOpNeeds[] = {"start", "end", "opType"};
constexpr std::string_view kMonitorNeeds[] = {"start", "monitorType", "value"};
constexpr ColumnMapping kCallColumns[] = {
    {"start", kStart}, {"end", kEnd}, {"id", kCorrelation}, {"pid", kProcess}, {"tid", kThread}, {"apiName_id", kName},
};
constexpr ColumnMapping kMarkerColumns[] = {
    {"start", kStart}, {"end", kEnd},   {"id", kCorrelation},      {"pid", kProcess},
    {"tid", kThread},  {"args", kName}, {"apiName_id", kCategory},
};
constexpr ColumnMapping kOpColumns[] = {
    {"start", kStart},    {"end", kEnd},          {"api_id", kCorrelation}, {"gpuId", kDevice},
    {"queueId", kStream}, {"description", kName}, {"opType", kCategory},
};
constexpr ColumnMapping kMonitorColumns[] = {{"start", kStart}, {"deviceId", kDevice}, {"monitorType", kName}};
constexpr std::string_view kMonitorNumbers[] = {"value"};

constexpr SqliteTest kIsMarker[] = {{"apiName_id", {}, "UserMarker"}};
constexpr SqliteRowKind kCalls[] = {
    {{"markers", kApiNeeds, kMarkerColumns, EventKind::kHostRange, EventShape::kSlice, "UserMarker", ""}, kIsMarker},
    {{"calls", kApiNeeds, kCallColumns, EventKind::kHostCall, EventShape::kSlice, "", "hip", 1, kind_of_call}},
};
constexpr SqliteRowKind kOps[] = {
    {{"operations", kOpNeeds, kOpColumns, EventKind::kOther, EventShape::kSlice, "", "", 1, kind_of_op}}};
constexpr SqliteRowKind kMonitors[] = {
    {{"samples", kMonitorNeeds, kMonitorColumns, EventKind::kOther, EventShape::kCounter, "", "monitor"}}};

constexpr SqliteEvents kEvents[] = {
    {{"rocpd_api", {}, kApiJoins}, kCalls},
    {{"rocpd_op", {}, kOpJoins}, kOps},
    {{.table = "rocpd_monitor", .numbers = kMonitorNumbers}, kMonitors},
};
constexpr SqliteSource kMetadata[] = {{"rocpd_metadata"}};

}  // namespace

constexpr SqliteFormat kRpdFormat{.id = "rpd",
                                  .what = "rocmProfileData's rpd",
                                  .needs = kNeeds,
                                  .events = kEvents,
                                  .metadata = kMetadata,
                                  .null_text = ""};

}  // namespace aaco
