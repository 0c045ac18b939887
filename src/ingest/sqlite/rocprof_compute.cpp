// SPDX-License-Identifier: MIT
// The database of rocprof-compute's analysis: dispatches with their times, and for each kernel and workload the metrics
// that were derived of its counters, which become its arguments. Format: ROCm/rocprofiler-compute,
// src/utils/analysis_orm.py; schema 1.
#include "ingest/sqlite/formats.h"

namespace aaco {

namespace {

using enum ColumnRole;

constexpr std::string_view kNeeds[] = {"compute_workload", "compute_kernel", "compute_dispatch"};

constexpr SqliteTake kKernelName[] = {{"kernel_name", "kernel_name"}};
constexpr SqliteJoin kDispatchJoins[] = {{"kernel_uuid", "compute_kernel", "kernel_uuid", kKernelName}};
constexpr SqliteJoin kKernelJoins[] = {{"kernel_uuid", "compute_kernel_roofline_data", "kernel_uuid", {}, true}};
constexpr SqliteJoin kWorkloadJoins[] = {{"workload_id", "compute_workload_roofline_data", "workload_id", {}, true}};

// "2.1.0 VALU FLOPs Avg": what it is of stands in compute_metric_definition, by the number.
constexpr SqliteTake kMetric[] = {{"metric_id", "metric_id"}, {"name", "metric_name"}};
constexpr SqliteJoin kValueJoins[] = {{"metric_uuid", "compute_metric_definition", "metric_uuid", kMetric}};
constexpr std::string_view kValueNames[] = {"metric_id", "metric_name", "value_name"};
constexpr SqliteValues kKernelValues{
    {"compute_kernel_metric_value", {}, kValueJoins}, "kernel_uuid", kValueNames, "value"};
constexpr SqliteValues kWorkloadValues{
    {"compute_workload_metric_value", {}, kValueJoins}, "workload_id", kValueNames, "value"};
constexpr const SqliteValues* kOfKernels[] = {&kKernelValues};
constexpr const SqliteValues* kOfWorkloads[] = {&kWorkloadValues};

constexpr std::string_view kDispatchNeeds[] = {"kernel_uuid", "start_timestamp", "end_timestamp"};
constexpr std::string_view kKernelNeeds[] = {"kernel_uuid", "kernel_name"};
constexpr std::string_view kWorkloadNeeds[] = {"workload_id", "name"};
constexpr ColumnMapping kDispatchColumns[] = {
    {"start_timestamp", kStart}, {"end_timestamp", kEnd}, {"gpu_id", kDevice}, {"kernel_name", kName}};
constexpr ColumnMapping kKernelColumns[] = {{"kernel_name", kName}};
constexpr ColumnMapping kWorkloadColumns[] = {{"name", kName}};

constexpr SqliteRowKind kDispatches[] = {
    {{"dispatches", kDispatchNeeds, kDispatchColumns, EventKind::kKernel, EventShape::kSlice, "", "dispatch"}}};
constexpr SqliteRowKind kKernels[] = {
    {{"kernels", kKernelNeeds, kKernelColumns, EventKind::kKernel, EventShape::kUntimed, "", "kernel"}}};
constexpr SqliteRowKind kWorkloads[] = {
    {{"workloads", kWorkloadNeeds, kWorkloadColumns, EventKind::kOther, EventShape::kUntimed, "", "workload"}}};

constexpr SqliteEvents kEvents[] = {
    {{"compute_dispatch", {}, kDispatchJoins}, kDispatches},
    {{"compute_kernel", {}, kKernelJoins}, kKernels, "kernel_uuid", kOfKernels},
    {{"compute_workload", {}, kWorkloadJoins}, kWorkloads, "workload_id", kOfWorkloads},
};
constexpr SqliteSource kMetadata[] = {{"compute_metadata"}, {"compute_metric_definition"}};

}  // namespace

constexpr SqliteFormat kRocprofComputeFormat{.id = "rocprof-compute-db",
                                             .what = "rocprof-compute's analysis database",
                                             .needs = kNeeds,
                                             .events = kEvents,
                                             .metadata = kMetadata};

}  // namespace aaco
