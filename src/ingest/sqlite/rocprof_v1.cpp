// SPDX-License-Identifier: MIT
// results.db of the first rocprof (ROCm 5 and 6.0): calls, copies, operations and kernels, with a table for each.
// Format: ROCm/rocprofiler, bin/tblextr.py.
#include "ingest/sqlite/formats.h"

namespace aaco {

namespace {

using enum ColumnRole;

constexpr std::string_view kNeeds[] = {"KERN"};
constexpr std::string_view kOldNeeds[] = {"A", "COPY"};  // where the table of kernels has another name

constexpr std::string_view kQuoted[] = {"KernelName", "Name"};
constexpr std::string_view kSpan[] = {"BeginNs", "EndNs"};
constexpr std::string_view kKernelNeeds[] = {"KernelName"};
constexpr ColumnMapping kHipColumns[] = {
    {"BeginNs", kStart}, {"EndNs", kEnd}, {"DurationNs", kDuration}, {"pid", kProcess},
    {"tid", kThread},    {"Name", kName}, {"Index", kCorrelation},
};
constexpr ColumnMapping kHostColumns[] = {
    {"BeginNs", kStart}, {"EndNs", kEnd},  {"DurationNs", kDuration},
    {"pid", kProcess},   {"tid", kThread}, {"Name", kName},
};
constexpr ColumnMapping kDeviceColumns[] = {
    {"BeginNs", kStart},   {"EndNs", kEnd},     {"DurationNs", kDuration},
    {"pid", kProcess},     {"dev-id", kDevice}, {"stream-id", kStream},
    {"queue-id", kStream}, {"Name", kName},     {"Index", kCorrelation},
};
constexpr ColumnMapping kKernelColumns[] = {
    {"BeginNs", kStart}, {"EndNs", kEnd},       {"DurationNs", kDuration}, {"pid", kProcess},
    {"gpu-id", kDevice}, {"queue-id", kStream}, {"KernelName", kName},
};

constexpr SqliteRowKind kHip[] = {{{"calls", kSpan, kHipColumns, EventKind::kHostCall, EventShape::kSlice, "", "HIP"}}};
constexpr SqliteRowKind kHsa[] = {
    {{"calls", kSpan, kHostColumns, EventKind::kHostCall, EventShape::kSlice, "", "HSA"}}};
constexpr SqliteRowKind kMarkers[] = {
    {{"markers", kSpan, kHostColumns, EventKind::kHostRange, EventShape::kSlice, "", "roctx"}}};
constexpr SqliteRowKind kOperations[] = {
    {{"operations", kSpan, kDeviceColumns, EventKind::kKernel, EventShape::kSlice, "", "OPS"}}};
constexpr SqliteRowKind kCopies[] = {
    {{"copies", kSpan, kDeviceColumns, EventKind::kCopy, EventShape::kSlice, "", "COPY"}}};
constexpr SqliteRowKind kKernels[] = {
    {{"kernels", kKernelNeeds, kKernelColumns, EventKind::kKernel, EventShape::kSlice, "", "KERN"}}};

constexpr SqliteEvents kEvents[] = {
    {{"HIP"}, kHip},
    {{"HSA"}, kHsa},
    {{"EXT"}, kMarkers},
    {{.table = "ROCTX", .quoted = kQuoted}, kMarkers},
    {{.table = "rocTX", .quoted = kQuoted}, kMarkers},
    {{"OPS"}, kOperations},
    {{"COPY"}, kCopies},
    {{.table = "KERN", .quoted = kQuoted}, kKernels},
    {{.table = "A", .quoted = kQuoted}, kKernels},
};

}  // namespace

constexpr SqliteFormat kRocprofV1Format{.id = "rocprof-v1-db",
                                        .what = "the first rocprof's results.db",
                                        .needs = kNeeds,
                                        .or_needs = kOldNeeds,
                                        .events = kEvents};

}  // namespace aaco
