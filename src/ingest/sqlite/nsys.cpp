// SPDX-License-Identifier: MIT
// Nsight Systems' export to SQLite (nsys export --type sqlite), schemas 2 and 3. Columns and their meaning: its User
// Guide, "SQLite Schema Reference", and the comments that the export's own schema carries.
#include "ingest/sqlite/formats.h"

namespace aaco {

namespace {

using enum ColumnRole;

constexpr std::string_view kNeeds[] = {"StringIds"};

// "Serialized process and thread identifiers": 8 bits of hardware, 8 of virtual machine, 24 of process, 24 of thread.
constexpr SqliteBits kThreadBits[] = {{"globalTid", "pid", 24, 24}, {"globalTid", "tid", 0, 24}};
constexpr SqliteBits kProcessBits[] = {{"globalPid", "pid", 24, 24}};

constexpr SqliteTake kLabel[] = {{"label", "category"}};
constexpr SqliteTake kNameText[] = {{"value", "nameId"}};
constexpr SqliteTake kText[] = {{"value", "text"}};
constexpr SqliteTake kJsonText[] = {{"value", "jsonText"}};
constexpr SqliteTake kDemangled[] = {{"value", "demangledName"}};
constexpr SqliteTake kShort[] = {{"value", "shortName"}};
constexpr SqliteTake kMangled[] = {{"value", "mangledName"}};
constexpr SqliteTake kCopyName[] = {{"label", "name", "CUDA memcpy "}};
constexpr SqliteTake kSyncName[] = {{"label", "name"}};
constexpr SqliteTake kSourceKind[] = {{"label", "srcKind"}};
constexpr SqliteTake kTargetKind[] = {{"label", "dstKind"}};
constexpr SqliteTake kMemoryKind[] = {{"label", "memKind"}};
constexpr SqliteTake kOverheadType[] = {{"label", "overheadType"}};

// What the tables ENUM_... hold from schema 3.0 on; exports before have the numbers alone, of the same enumerations.
constexpr std::string_view kCopyKinds[] = {
    "Unknown",        "Host-to-Device",         "Device-to-Host",         "Host-to-Array",           "Array-to-Host",
    "Array-to-Array", "Array-to-Device",        "Device-to-Array",        "Device-to-Device",        "Host-to-Host",
    "Peer-to-Peer",   "Unified Host-to-Device", "Unified Device-to-Host", "Unified Device-to-Device"};
constexpr std::string_view kMemoryKinds[] = {"Pageable", "Pinned",        "Device",         "Array",
                                             "Managed",  "Device Static", "Managed Static", "Unknown"};
constexpr std::string_view kSyncTypes[] = {"Unknown", "Event sync", "Stream wait sync", "Stream sync", "Context sync"};

constexpr SqliteJoin kCallJoins[] = {
    {"nameId", "StringIds", "id", kNameText},
    {"textId", "StringIds", "id", kText},
    {"eventClass", "ENUM_NSYS_EVENT_CLASS", "id", kLabel, true},
    {"overheadType", "ENUM_CUPTI_OVERHEAD_TYPE", "id", kOverheadType, true},
};
constexpr SqliteJoin kKernelJoins[] = {
    {"demangledName", "StringIds", "id", kDemangled},
    {"shortName", "StringIds", "id", kShort},
    {"mangledName", "StringIds", "id", kMangled},
};
constexpr SqliteJoin kCopyJoins[] = {
    {"copyKind", "ENUM_CUDA_MEMCPY_OPER", "id", kCopyName, true, {}, kCopyKinds},
    {"srcKind", "ENUM_CUDA_MEM_KIND", "id", kSourceKind, true, {}, kMemoryKinds},
    {"dstKind", "ENUM_CUDA_MEM_KIND", "id", kTargetKind, true, {}, kMemoryKinds},
};
constexpr SqliteJoin kSetJoins[] = {{"memKind", "ENUM_CUDA_MEM_KIND", "id", kMemoryKind, true, {}, kMemoryKinds}};
constexpr SqliteJoin kSyncJoins[] = {{"syncType", "ENUM_CUPTI_SYNC_TYPE", "id", kSyncName, true, {}, kSyncTypes}};
constexpr SqliteJoin kNvtxJoins[] = {
    {"textId", "StringIds", "id", kText},
    {"jsonTextId", "StringIds", "id", kJsonText},
};

constexpr std::string_view kSpan[] = {"start", "end"};
constexpr ColumnMapping kDeviceColumns[] = {
    {"start", kStart},     {"end", kEnd},         {"correlationId", kCorrelation}, {"pid", kProcess},
    {"deviceId", kDevice}, {"streamId", kStream}, {"demangledName", kName},        {"name", kName},
};
constexpr ColumnMapping kCallColumns[] = {
    {"start", kStart}, {"end", kEnd},   {"correlationId", kCorrelation}, {"pid", kProcess}, {"tid", kThread},
    {"nameId", kName}, {"text", kName}, {"category", kCategory},
};
constexpr ColumnMapping kNvtxColumns[] = {
    {"start", kStart}, {"end", kEnd}, {"pid", kProcess}, {"tid", kThread}, {"text", kName},
};

constexpr SqliteRowKind kKernels[] = {
    {{"kernels", kSpan, kDeviceColumns, EventKind::kKernel, EventShape::kSlice, "CUDA kernel", "kernel"}}};
constexpr SqliteRowKind kGraphs[] = {
    {{"graphs", kSpan, kDeviceColumns, EventKind::kKernel, EventShape::kSlice, "CUDA graph", "cuda_graph"}}};
constexpr SqliteRowKind kCopies[] = {
    {{"copies", kSpan, kDeviceColumns, EventKind::kCopy, EventShape::kSlice, "CUDA memcpy", "gpu_memcpy"}}};
constexpr SqliteRowKind kSets[] = {
    {{"sets", kSpan, kDeviceColumns, EventKind::kSet, EventShape::kSlice, "CUDA memset", "gpu_memset"}}};
constexpr SqliteRowKind kSyncs[] = {
    {{"waits", kSpan, kDeviceColumns, EventKind::kDeviceSync, EventShape::kSlice, "CUDA sync", "cuda_sync"}}};
constexpr SqliteRowKind kCudaEvents[] = {
    {{"events", {}, kDeviceColumns, EventKind::kDeviceSync, EventShape::kInstant, "CUDA event", "cuda_event"}}};
constexpr SqliteRowKind kCalls[] = {
    {{"calls", kSpan, kCallColumns, EventKind::kHostCall, EventShape::kSlice, "call", "call"}}};
constexpr SqliteRowKind kOverheads[] = {
    {{"overhead", kSpan, kCallColumns, EventKind::kOverhead, EventShape::kSlice, "overhead", "overhead"}}};

// ENUM_NSYS_EVENT_TYPE: ranges pushed and popped, started and ended, and both as text files bring them; marks likewise.
constexpr int64_t kRangeTypes[] = {59, 60, 70, 71};
constexpr int64_t kMarkTypes[] = {34, 65};
constexpr SqliteTest kUnended[] = {{"eventType", kRangeTypes}, {"end"}};
constexpr SqliteTest kRange[] = {{"eventType", kRangeTypes}};
constexpr SqliteTest kMark[] = {{"eventType", kMarkTypes}};
constexpr std::string_view kNvtxNeeds[] = {"start", "eventType"};
constexpr SqliteRowKind kNvtx[] = {
    {{"ranges without an end", kNvtxNeeds, kNvtxColumns, EventKind::kHostRange, EventShape::kInstant, "", "nvtx"},
     kUnended,
     Loss::kUnmatchedBegin},
    {{"ranges", kNvtxNeeds, kNvtxColumns, EventKind::kHostRange, EventShape::kSlice, "", "nvtx"}, kRange},
    {{"marks", kNvtxNeeds, kNvtxColumns, EventKind::kHostRange, EventShape::kInstant, "", "nvtx"}, kMark},
    {{"definitions", kNvtxNeeds, kNvtxColumns, EventKind::kOther, EventShape::kInstant, "", "nvtx definition"}},
};

constexpr SqliteEvents kEvents[] = {
    {{"CUPTI_ACTIVITY_KIND_KERNEL", kProcessBits, kKernelJoins}, kKernels},
    {{"CUPTI_ACTIVITY_KIND_MEMCPY", kProcessBits, kCopyJoins}, kCopies},
    {{"CUPTI_ACTIVITY_KIND_MEMSET", kProcessBits, kSetJoins}, kSets},
    {{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", kProcessBits}, kGraphs},
    {{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kProcessBits, kSyncJoins}, kSyncs},
    {{"CUPTI_ACTIVITY_KIND_CUDA_EVENT", kProcessBits}, kCudaEvents},
    {{"CUPTI_ACTIVITY_KIND_RUNTIME", kThreadBits, kCallJoins}, kCalls},
    {{"NVTX_EVENTS", kThreadBits, kNvtxJoins}, kNvtx},
    {{"OSRT_API", kThreadBits, kCallJoins}, kCalls},
    {{"CUBLAS_EVENTS", kThreadBits, kCallJoins}, kCalls},
    {{"CUDNN_EVENTS", kThreadBits, kCallJoins}, kCalls},
    {{"MPI_P2P_EVENTS", kThreadBits, kCallJoins}, kCalls},
    {{"MPI_COLLECTIVES_EVENTS", kThreadBits, kCallJoins}, kCalls},
    {{"MPI_OTHER_EVENTS", kThreadBits, kCallJoins}, kCalls},
    {{"PROFILER_OVERHEAD", kThreadBits, kCallJoins}, kOverheads},
    {{"CUPTI_ACTIVITY_KIND_OVERHEAD", kThreadBits, kCallJoins}, kOverheads},
};

constexpr SqliteNames kNames[] = {
    {{"PROCESSES"}, "pid", {}, "name"},
    {{"ThreadNames", kThreadBits, kCallJoins}, "pid", "tid", "nameId"},
};
constexpr SqliteSource kMetadata[] = {
    {"TARGET_INFO_GPU"},
    {"TARGET_INFO_SESSION_START_TIME"},
    {"TARGET_INFO_CUDA_GPU"},  // TARGET_INFO_GPU of older exports
    {"TARGET_INFO_CUDA_DEVICE"},
    {"TARGET_INFO_CUDA_CONTEXT_INFO"},
    {"TARGET_INFO_CUDA_STREAM"},
    {"TARGET_INFO_CUDA_NULL_STREAM"},
    {"TARGET_INFO_NVTX_CUDA_STREAM"},
    {"TARGET_INFO_NIC_INFO"},
    {"ANALYSIS_DETAILS"},
    {"META_DATA_EXPORT"},
    {"EXPORT_META_DATA"},
    {"META_DATA_CAPTURE"},
    {"DIAGNOSTIC_EVENT"},
};
// Names of numbers, what the machine is, what the process printed, and stacks that calls refer to.
constexpr std::string_view kIgnored[] = {"ENUM_", "UnwindMethodType", "TARGET_INFO_SYSTEM_ENV", "ANALYSIS_FILE",
                                         "ProcessStreams"};

}  // namespace

constexpr SqliteFormat kNsysFormat{.id = "nsys",
                                   .what = "Nsight Systems' SQLite export",
                                   .needs = kNeeds,
                                   .events = kEvents,
                                   .names = kNames,
                                   .metadata = kMetadata,
                                   .ignored = kIgnored,
                                   .process_column = "pid"};

}  // namespace aaco
