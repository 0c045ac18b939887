// SPDX-License-Identifier: MIT
// rpd, the first rocprof and rocprof-compute.
#include <bit>

#include "ingest/sqlite/test_database.h"

namespace aaco {
namespace {

constexpr const char* kRpd =
    "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);"
    "INSERT INTO rocpd_string VALUES (1, ''), (2, 'hipLaunchKernel'), (3, 'kernel_a'), (4, 'KernelExecution'), "
    "(5, 'CopyHostToDevice'), (6, 'UserMarker'), (7, 'decode'), (8, 'Task'), (9, 'ApiTable::writeRows');"
    "CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER, apiName_id "
    "INTEGER, args_id INTEGER);"
    "INSERT INTO rocpd_api VALUES (4294967297, 70, 71, 100, 110, 2, 1), (4294967298, 70, 71, 90, 200, 6, 7), "
    "(4294967299, 70, 72, 1, 2, 9, 1);"
    "CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, completionSignal TEXT, start "
    "INTEGER, end INTEGER, description_id INTEGER, opType_id INTEGER);"
    "INSERT INTO rocpd_op VALUES (1, 2, 0, '', 120, 150, 3, 4), (2, 2, 0, '', 150, 160, 1, 5), "
    "(3, 2, 1, '', 160, 190, 3, 8);"
    "CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER);"
    "INSERT INTO rocpd_api_ops VALUES (1, 4294967297, 3), (2, 4294967297, 1);"
    "CREATE TABLE rocpd_kernelapi (api_ptr_id INTEGER PRIMARY KEY, stream TEXT, gridX INTEGER, kernelName_id INTEGER);"
    "INSERT INTO rocpd_kernelapi VALUES (4294967297, '0x0', 256, 3);"
    "CREATE TABLE rocpd_monitor (id INTEGER PRIMARY KEY, deviceType TEXT, deviceId INTEGER, monitorType TEXT, start "
    "INTEGER, end INTEGER, value TEXT);"
    "INSERT INTO rocpd_monitor VALUES (1, 'gpu', 4, 'sclk', 130, 140, '134');";

TEST(Rpd, OperationsKnowTheirCallTheirPlaceAndWhatTheyAre) {
  const EventTable table = read_sql(kRpd);
  EXPECT_EQ(table.recordings[0].format, "rpd");
  ASSERT_EQ(table.size(), 7);
  const std::vector<size_t> kernels = events_named(table, "kernel_a");
  ASSERT_EQ(kernels.size(), 2);
  for (const size_t kernel : kernels) {
    EXPECT_EQ(table.kind[kernel], EventKind::kKernel);
    EXPECT_EQ(table.correlation[kernel], 4294967297);
    EXPECT_EQ(table.duration_ns[kernel], 30);
    EXPECT_EQ(table.tracks[table.track[kernel]].device, 2);
  }
  EXPECT_EQ(table.tracks[table.track[kernels[1]]].stream, 1);
  const std::vector<size_t> copies = events_named(table, "CopyHostToDevice");
  ASSERT_EQ(copies.size(), 1);
  EXPECT_EQ(table.kind[copies[0]], EventKind::kCopy);
  EXPECT_EQ(table.correlation[copies[0]], kNoId);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(Rpd, CallsCarryWhatTheyLaunch) {
  EventTable table = read_sql(kRpd);
  const size_t launch = events_named(table, "hipLaunchKernel").at(0);
  EXPECT_EQ(table.kind[launch], EventKind::kHostCall);
  EXPECT_EQ(table.correlation[launch], 4294967297);
  EXPECT_EQ(argument_text(table, launch, "kernelName_id"), "kernel_a");
  EXPECT_EQ(argument_text(table, launch, "gridX"), "256");
  const size_t marker = events_named(table, "decode").at(0);
  EXPECT_EQ(table.kind[marker], EventKind::kHostRange);
  EXPECT_EQ(table.kind[events_named(table, "ApiTable::writeRows").at(0)], EventKind::kOverhead);
}

TEST(Rpd, ClockSamplesAreCounters) {
  EventTable table = read_sql(kRpd);
  const size_t sample = events_named(table, "sclk").at(0);
  EXPECT_EQ(table.shape[sample], EventShape::kCounter);
  EXPECT_EQ(table.start_ns[sample], 130);
  EXPECT_EQ(table.duration_ns[sample], 0);
  EXPECT_EQ(table.arguments.find(sample, table.strings.intern("value"))->type, ArgumentType::kInteger);
  EXPECT_EQ(argument_text(table, sample, "value"), "134");
}

TEST(RocprofV1, CallsAndOperationsJoinByTheirIndex) {
  const EventTable table = read_sql(
      "CREATE TABLE HIP (BeginNs INTEGER, EndNs INTEGER, pid INTEGER, tid INTEGER, Name TEXT, args TEXT, \"Index\" "
      "INTEGER, DurationNs INTEGER);"
      "INSERT INTO HIP VALUES (10, 20, 517, 518, 'hipLaunchKernel', '( a(1))', 117, 10);"
      "CREATE TABLE OPS (BeginNs INTEGER, EndNs INTEGER, \"dev-id\" INTEGER, \"queue-id\" INTEGER, Name TEXT, pid "
      "INTEGER, tid INTEGER, \"stream-id\" INTEGER, \"Index\" INTEGER, DurationNs INTEGER);"
      "INSERT INTO OPS VALUES (30, 45, 2, 0, 'k', 517, 518, 1, 117, 15);"
      "CREATE TABLE KERN (\"Index\" INTEGER, KernelName TEXT);");
  EXPECT_EQ(table.recordings[0].format, "rocprof-v1-db");
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.kind[0], EventKind::kHostCall);
  EXPECT_EQ(table.kind[1], EventKind::kKernel);
  EXPECT_EQ(table.correlation[0], 117);
  EXPECT_EQ(table.correlation[1], 117);
  EXPECT_EQ(table.tracks[table.track[1]].device, 2);
  EXPECT_EQ(table.tracks[table.track[1]].stream, 1);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(RocprofV1, AnOlderVersionNamesItsTablesOtherwise) {
  const EventTable table = read_sql(
      "CREATE TABLE A (\"Index\" INTEGER, KernelName TEXT, \"gpu-id\" INTEGER, \"queue-id\" INTEGER, BeginNs INTEGER, "
      "EndNs INTEGER);"
      "INSERT INTO A VALUES (0, '\"void k<int>(int)\"', 2, 1, 60, 70);"
      "CREATE TABLE rocTX (BeginNs INTEGER, EndNs INTEGER, pid INTEGER, tid INTEGER, Name TEXT, \"Index\" INTEGER);"
      "INSERT INTO rocTX VALUES (5, 50, 0, 518, 'step', 0);"
      "CREATE TABLE COPY (BeginNs INTEGER, EndNs INTEGER, \"dev-id\" INTEGER, \"queue-id\" INTEGER, Name TEXT, pid "
      "INTEGER, tid INTEGER, \"Index\" INTEGER, DurationNs INTEGER);"
      "INSERT INTO COPY VALUES (30, 45, 2, 3, 'CopyHostToDevice', 1, 0, 8, 15);");
  EXPECT_EQ(table.recordings[0].format, "rocprof-v1-db");
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(table.kind[0], EventKind::kHostRange);
  EXPECT_EQ(table.kind[1], EventKind::kCopy);
  EXPECT_EQ(table.kind[2], EventKind::kKernel);
  EXPECT_EQ(table.strings[table.name[2]], "void k<int>(int)");
  EXPECT_EQ(table.tracks[table.track[1]].device, 2);
  EXPECT_EQ(table.tracks[table.track[1]].stream, 3);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(RocprofV1, KernelsHaveTimesWhereTheTableDoes) {
  EventTable timed = read_sql(
      "CREATE TABLE KERN (\"Index\" INTEGER, KernelName TEXT, \"gpu-id\" INTEGER, \"queue-id\" INTEGER, pid INTEGER, "
      "tid INTEGER, sig TEXT, BeginNs INTEGER, EndNs INTEGER, DurationNs INTEGER);"
      "INSERT INTO KERN VALUES (0, 'k', 8, 0, 5, 5, '0x0', 100, 140, 40);");
  ASSERT_EQ(timed.size(), 1);
  EXPECT_EQ(timed.duration_ns[0], 40);
  EXPECT_EQ(timed.tracks[timed.track[0]].device, 8);
  EXPECT_EQ(argument_text(timed, 0, "sig"), "0x0");
  const EventTable untimed = read_sql(
      "CREATE TABLE KERN (\"Index\" INTEGER, KernelName TEXT);"
      "INSERT INTO KERN VALUES (0, 'k');");
  EXPECT_EQ(untimed.shape[0], EventShape::kUntimed);
  EXPECT_TRUE(untimed.losses.entries().empty());
}

TEST(RocprofCompute, MetricsAreArgumentsOfTheirKernel) {
  EventTable table = read_sql(
      "CREATE TABLE compute_workload (workload_id INTEGER PRIMARY KEY, name TEXT);"
      "INSERT INTO compute_workload VALUES (1, 'pi');"
      "CREATE TABLE compute_kernel (kernel_uuid INTEGER PRIMARY KEY, workload_id INTEGER, kernel_name TEXT);"
      "INSERT INTO compute_kernel VALUES (4, 1, 'k');"
      "CREATE TABLE compute_dispatch (dispatch_uuid INTEGER PRIMARY KEY, kernel_uuid INTEGER, dispatch_id INTEGER, "
      "gpu_id INTEGER, start_timestamp INTEGER, end_timestamp INTEGER);"
      "INSERT INTO compute_dispatch VALUES (1, 4, 0, 0, 500, 740);"
      "CREATE TABLE compute_metric_definition (metric_uuid INTEGER PRIMARY KEY, name TEXT, metric_id TEXT, unit TEXT);"
      "INSERT INTO compute_metric_definition VALUES (9, 'VALU FLOPs', '2.1.0', 'Gflop/s');"
      "CREATE TABLE compute_kernel_metric_value (value_uuid INTEGER PRIMARY KEY, metric_uuid INTEGER, kernel_uuid "
      "INTEGER, value_name TEXT, value FLOAT);"
      "INSERT INTO compute_kernel_metric_value VALUES (1, 9, 4, 'Avg', 12.5), (2, 9, 4, 'Peak', NULL), "
      "(3, 9, 77, 'Avg', 1.0);");
  ASSERT_EQ(table.size(), 3);  // a dispatch, a kernel, a workload
  EXPECT_EQ(table.duration_ns[0], 240);
  EXPECT_EQ(table.strings[table.name[0]], "k");
  EXPECT_EQ(table.shape[1], EventShape::kUntimed);
  const auto average = table.arguments.find(1, table.strings.intern("2.1.0 VALU FLOPs Avg"));
  ASSERT_TRUE(average);
  EXPECT_EQ(std::bit_cast<double>(average->bits), 12.5);
  EXPECT_EQ(table.arguments.find(1, table.strings.intern("2.1.0 VALU FLOPs Peak"))->type, ArgumentType::kNull);
  EXPECT_EQ(table.losses.count(Loss::kUnknownName), 1);  // of kernel 77
}

}  // namespace
}  // namespace aaco
