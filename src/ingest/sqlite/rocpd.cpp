// SPDX-License-Identifier: MIT
// rocpd of ROCm 7 (rocprofv3's default output), schemas 3 and 4: the tables of each recorded process end with its id.
// Read from the documented schema; no recording was at hand. Format: ROCm/rocm-systems, rocprofiler-sdk,
// source/share/rocprofiler-sdk-rocpd. Of an argument of a call its name and value are kept, not its type.
#include "ingest/sqlite/formats.h"

namespace aaco {

namespace {

using enum ColumnRole;

constexpr std::string_view kFirstTable = "rocpd_event";
constexpr std::string_view kNeeds[] = {"rocpd_event", "rocpd_string", "rocpd_info_agent"};
constexpr std::string_view kNoEvent[] = {"id", "guid", "nid"};  // the same in all rows of a table, but for its number
constexpr std::string_view kOrZero[] = {"stack_id", "parent_stack_id", "correlation_id"};

constexpr SqliteTake kOfTrack[] = {{"pid", "pid"},
                                   {"tid", "tid"},
                                   {"agent_id", "agent_id"},
                                   {"queue_id", "queue_id"},
                                   {"stream_id", "stream_id"},
                                   {"name_id", "track_name"}};
constexpr SqliteTake kStartTime[] = {{"value", "start"}};
constexpr SqliteTake kEndTime[] = {{"value", "end"}};
constexpr SqliteTake kSampleTime[] = {{"value", "timestamp"}};
constexpr SqliteTake kPid[] = {{"pid", "pid"}};
constexpr SqliteTake kTid[] = {{"tid", "tid"}};
constexpr SqliteTake kOfEvent[] = {
    {"category_id", "category_id"},       {"stack_id", "stack_id"},     {"parent_stack_id", "parent_stack_id"},
    {"correlation_id", "correlation_id"}, {"call_stack", "call_stack"}, {"line_info", "line_info"},
    {"extdata", "event_extdata"}};
constexpr SqliteTake kCategoryName[] = {{"name", "category"}};
constexpr SqliteTake kCategoryText[] = {{"string", "category"}};
constexpr SqliteTake kText[] = {{"string", "name_id"}};
constexpr SqliteTake kTrackText[] = {{"string", "track_name"}};
constexpr SqliteTake kRegionText[] = {{"string", "region_name_id"}};
constexpr SqliteTake kSymbol[] = {{"display_name", "name"}, {"kernel_name", "symbol"}};
constexpr SqliteTake kInstead[] = {{"", "name"}};
constexpr SqliteTake kInsteadOfName[] = {{"", "name_id"}};
constexpr SqliteTake kTargetType[] = {{"type", "dst_type"}};

// Schema 4 keeps times and the ids of where an event lies in tables of their own; schema 3 in the row itself.
constexpr SqliteJoin kJoins[] = {
    {"track_id", "rocpd_track", "id", kOfTrack},
    {"start_id", "rocpd_timestamp", "id", kStartTime},
    {"end_id", "rocpd_timestamp", "id", kEndTime},
    {"timestamp_id", "rocpd_timestamp", "id", kSampleTime},
    {"pid", "rocpd_info_process", "id", kPid},
    {"tid", "rocpd_info_thread", "id", kTid},
    {"event_id", "rocpd_event", "id", kOfEvent},
    {"category_id", "rocpd_info_category", "id", kCategoryName, true},
    {"category_id", "rocpd_string", "id", kCategoryText, false, "rocpd_info_category"},
    {"name_id", "rocpd_string", "id", kText},
    {"track_name", "rocpd_string", "id", kTrackText},
    {"track_name", "", "", kInsteadOfName},
    {"region_name_id", "rocpd_string", "id", kRegionText},
    {"kernel_id", "rocpd_info_kernel_symbol", "id", kSymbol},
    {"symbol", "", "", kInstead},
    {"dst_agent_id", "rocpd_info_agent", "id", kTargetType},
};

constexpr SqliteTake kCounter[] = {{"name", "name"}};
constexpr SqliteJoin kCounterJoins[] = {{"pmc_id", "rocpd_info_pmc", "id", kCounter}};
constexpr std::string_view kValueNames[] = {"name"};
constexpr SqliteValues kArguments{{"rocpd_arg"}, "event_id", kValueNames, "value"};
constexpr SqliteValues kCounters{{"rocpd_pmc_event", {}, kCounterJoins}, "event_id", kValueNames, "value"};
constexpr const SqliteValues* kValues[] = {&kArguments, &kCounters};

EventKind kind_of_region(std::string_view category, std::string_view /*name*/) {
  const bool marker = category.find("MARKER") != std::string_view::npos;
  return !marker && category.find("API") != std::string_view::npos ? EventKind::kHostCall : EventKind::kHostRange;
}

constexpr std::string_view kSpan[] = {"start", "end"};
constexpr std::string_view kMoment[] = {"timestamp"};
constexpr ColumnMapping kKernelColumns[] = {
    {"start", kStart},    {"end", kEnd},    {"stack_id", kCorrelation}, {"correlation_id", kExternalId},
    {"pid", kProcess},    {"tid", kThread}, {"agent_id", kDevice},      {"stream_id", kStream},
    {"queue_id", kQueue}, {"name", kName},  {"category", kCategory},
};
// A copy is on the GPU that it goes to, else on the agent that it comes from.
constexpr ColumnMapping kToGpuColumns[] = {
    {"start", kStart},    {"end", kEnd},      {"stack_id", kCorrelation}, {"correlation_id", kExternalId},
    {"pid", kProcess},    {"tid", kThread},   {"dst_agent_id", kDevice},  {"stream_id", kStream},
    {"queue_id", kQueue}, {"name_id", kName}, {"category", kCategory},
};
constexpr ColumnMapping kFromGpuColumns[] = {
    {"start", kStart},      {"end", kEnd},        {"stack_id", kCorrelation}, {"correlation_id", kExternalId},
    {"pid", kProcess},      {"tid", kThread},     {"src_agent_id", kDevice},  {"dst_agent_id", kDevice},
    {"stream_id", kStream}, {"queue_id", kQueue}, {"name_id", kName},         {"category", kCategory},
};
constexpr ColumnMapping kRegionColumns[] = {
    {"start", kStart}, {"end", kEnd},    {"stack_id", kCorrelation}, {"correlation_id", kExternalId},
    {"pid", kProcess}, {"tid", kThread}, {"name_id", kName},         {"category", kCategory},
};
constexpr ColumnMapping kAllocationColumns[] = {
    {"start", kStart}, {"end", kEnd},   {"stack_id", kCorrelation}, {"correlation_id", kExternalId}, {"pid", kProcess},
    {"tid", kThread},  {"type", kName}, {"category", kCategory},
};
constexpr ColumnMapping kSampleColumns[] = {
    {"timestamp", kStart}, {"stack_id", kCorrelation}, {"correlation_id", kExternalId},
    {"pid", kProcess},     {"tid", kThread},           {"agent_id", kDevice},
    {"name_id", kName},    {"category", kCategory},
};

constexpr SqliteTest kToGpu[] = {{"dst_type", {}, "GPU"}};
constexpr SqliteRowKind kKernels[] = {
    {{"dispatches", kSpan, kKernelColumns, EventKind::kKernel, EventShape::kSlice, "kernel", "kernel_dispatch"}}};
constexpr SqliteRowKind kCopies[] = {
    {{"copies", kSpan, kToGpuColumns, EventKind::kCopy, EventShape::kSlice, "copy", "memory_copy"}, kToGpu},
    {{"copies", kSpan, kFromGpuColumns, EventKind::kCopy, EventShape::kSlice, "copy", "memory_copy"}},
};
constexpr SqliteRowKind kRegions[] = {
    {{"regions", kSpan, kRegionColumns, EventKind::kHostRange, EventShape::kSlice, "", "", 1, kind_of_region}}};
constexpr SqliteRowKind kAllocations[] = {
    {{"allocations", kSpan, kAllocationColumns, EventKind::kOther, EventShape::kSlice, "", "memory_allocate"}}};
constexpr SqliteRowKind kSamples[] = {
    {{"samples", kMoment, kSampleColumns, EventKind::kOther, EventShape::kCounter, "sample", "sample"}}};

constexpr SqliteSource source(std::string_view table) {
  return {.table = table, .joins = kJoins, .ignored = kNoEvent, .or_zero = kOrZero};
}
constexpr SqliteEvents kEvents[] = {
    {source("rocpd_region"), kRegions, "event_id", kValues},
    {source("rocpd_kernel_dispatch"), kKernels, "event_id", kValues},
    {source("rocpd_memory_copy"), kCopies, "event_id", kValues},
    {source("rocpd_memory_allocate"), kAllocations, "event_id", kValues},
    {source("rocpd_sample"), kSamples, "event_id", kValues},
};

constexpr std::string_view kSecrets[] = {"environment"};
constexpr SqliteJoin kThreadJoins[] = {{"pid", "rocpd_info_process", "id", kPid}};
constexpr SqliteNames kNames[] = {
    {{"rocpd_info_process"}, "pid", {}, "command"},
    {{"rocpd_info_thread", {}, kThreadJoins}, "pid", "tid", "name"},
};
constexpr SqliteSource kMetadata[] = {
    {"rocpd_metadata"},   {"rocpd_info_node"},        {.table = "rocpd_info_process", .ignored = kSecrets},
    {"rocpd_info_agent"}, {"rocpd_info_queue"},       {"rocpd_info_stream"},
    {"rocpd_info_pmc"},   {"rocpd_info_code_object"},
};

}  // namespace

constexpr SqliteFormat kRocpdFormat{.id = "rocpd",
                                    .what = "rocprofv3's rocpd database",
                                    .needs = kNeeds,
                                    .events = kEvents,
                                    .names = kNames,
                                    .metadata = kMetadata,
                                    .suffixed = kFirstTable,
                                    .null_text = "{}"};

}  // namespace aaco
