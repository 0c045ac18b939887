// SPDX-License-Identifier: MIT
#include "ingest/sqlite/test_database.h"

namespace aaco {
namespace {

constexpr int64_t kProcess = int64_t{1} << 48 | int64_t{42} << 24;  // process 42
constexpr int64_t kThread = kProcess | 43;

std::string strings() {
  return "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
         "INSERT INTO StringIds VALUES (1, 'void k<float>(float*)'), (2, 'k'), (3, '_Z1kIfEvPT_'), "
         "(4, 'cudaLaunchKernel_v7000'), (5, 'step'), (6, 'worker');";
}

std::string kernel(int64_t start_ns, int64_t process = kProcess, int64_t name = 1) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + std::to_string(start_ns) + ", " +
         std::to_string(start_ns + 250) + ", 3, 7, 9, " + std::to_string(process) + ", " + std::to_string(name) +
         ", 2, 3, 128);";
}

std::string kernels() {
  return "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, "
         "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER, "
         "gridX INTEGER);";
}

TEST(Nsys, AKernelHasItsNamesTimesIdsAndPlace) {
  EventTable table = read_sql(strings() + kernels() + kernel(9'007'199'254'740'993));  // no double holds it
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.recordings[0].format, "nsys");
  EXPECT_EQ(table.strings[table.name[0]], "void k<float>(float*)");
  EXPECT_EQ(table.start_ns[0], 9'007'199'254'740'993);
  EXPECT_EQ(table.duration_ns[0], 250);
  EXPECT_EQ(table.kind[0], EventKind::kKernel);
  EXPECT_EQ(table.shape[0], EventShape::kSlice);
  EXPECT_EQ(table.correlation[0], 9);
  const Track& track = table.tracks[table.track[0]];
  EXPECT_EQ(track.device, 3);
  EXPECT_EQ(track.stream, 7);
  EXPECT_EQ(table.strings[track.process], "42");
  EXPECT_EQ(argument_text(table, 0, "shortName"), "k");
  EXPECT_EQ(argument_text(table, 0, "mangledName"), "_Z1kIfEvPT_");
  EXPECT_EQ(argument_text(table, 0, "gridX"), "128");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(Nsys, CallsLieOnTheirThreadUnderItsName) {
  const EventTable table =
      read_sql(strings() +
               "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid "
               "INTEGER, correlationId INTEGER, nameId INTEGER);"
               "CREATE TABLE ENUM_NSYS_EVENT_CLASS (id INTEGER PRIMARY KEY, name TEXT, label TEXT);"
               "INSERT INTO ENUM_NSYS_EVENT_CLASS VALUES (0, 'TRACE_PROCESS_EVENT_CUDA_RUNTIME', 'CUDA runtime');"
               "CREATE TABLE ThreadNames (nameId INTEGER, globalTid INTEGER);"
               "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
               "INSERT INTO PROCESSES VALUES (1, 42, 'train');"
               "INSERT INTO ThreadNames VALUES (6, " +
               std::to_string(kThread) + "); INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 30, 0, " +
               std::to_string(kThread) + ", 9, 4);");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.strings[table.name[0]], "cudaLaunchKernel_v7000");
  EXPECT_EQ(table.strings[table.category[0]], "CUDA runtime");
  EXPECT_EQ(table.kind[0], EventKind::kHostCall);
  EXPECT_EQ(table.correlation[0], 9);
  const Track& track = table.tracks[table.track[0]];
  EXPECT_EQ(table.strings[track.thread], "43");
  EXPECT_EQ(table.strings[track.thread_name], "worker");
  EXPECT_EQ(table.strings[track.process_name], "train");
}

TEST(Nsys, CopiesAreNamedByTheirDirection) {
  EventTable table = read_sql(
      strings() +
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, "
      "correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER);"
      "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER PRIMARY KEY, name TEXT, label TEXT);"
      "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device');"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 5, 0, 7, 2, 0, 64, 1), (6, 9, 0, 7, 3, 0, 64, 77);");
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.strings[table.name[0]], "CUDA memcpy Host-to-Device");
  EXPECT_EQ(table.kind[0], EventKind::kCopy);
  EXPECT_EQ(argument_text(table, 0, "bytes"), "64");
  EXPECT_EQ(table.strings[table.name[1]], "CUDA memcpy");
  EXPECT_EQ(argument_text(table, 1, "copyKind"), "77");
}

TEST(Nsys, NumbersOfAnExportWithoutTheirNamesAreNamed) {
  EventTable table = read_sql(
      strings() +
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, "
      "correlationId INTEGER, globalPid INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, "
      "correlationId INTEGER, globalPid INTEGER, memKind INTEGER);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, streamId "
      "INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 5, 0, 7, 2, 0, 1, 0, 2), (6, 9, 0, 7, 3, 0, 13, 4, 7), "
      "(10, 11, 0, 7, 4, 0, 14, -1, 2);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (12, 13, 0, 7, 5, 0, 1);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (14, 15, 0, 7, 6, 0, 4);");
  ASSERT_EQ(table.size(), 5);
  EXPECT_EQ(table.strings[table.name[0]], "CUDA memcpy Host-to-Device");
  EXPECT_EQ(argument_text(table, 0, "srcKind"), "Pageable");
  EXPECT_EQ(argument_text(table, 0, "dstKind"), "Device");
  EXPECT_EQ(table.strings[table.name[1]], "CUDA memcpy Unified Device-to-Device");
  EXPECT_EQ(argument_text(table, 1, "dstKind"), "Unknown");
  EXPECT_EQ(table.strings[table.name[2]], "CUDA memcpy");
  EXPECT_EQ(argument_text(table, 2, "copyKind"), "14");
  EXPECT_EQ(argument_text(table, 2, "srcKind"), "-1");
  EXPECT_EQ(argument_text(table, 3, "memKind"), "Pinned");
  EXPECT_EQ(table.strings[table.name[4]], "Context sync");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(Nsys, WhatTheProfilerAndTheDriverTookIsOverhead) {
  for (const char* name : {"PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"}) {
    EventTable table = read_sql(strings() + "CREATE TABLE " + name +
                                " (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId "
                                "INTEGER, overheadType INTEGER);"
                                "CREATE TABLE ENUM_CUPTI_OVERHEAD_TYPE (id INTEGER PRIMARY KEY, name TEXT, label TEXT);"
                                "INSERT INTO ENUM_CUPTI_OVERHEAD_TYPE VALUES (8, 'OVERHEAD_COMMAND_BUFFER_FULL', "
                                "'Command buffer full (CUDA)');"
                                "INSERT INTO " +
                                name + " VALUES (10, 30, " + std::to_string(kThread) + ", 9, 5, 8);");
    ASSERT_EQ(table.size(), 1) << name;
    EXPECT_EQ(table.kind[0], EventKind::kOverhead);
    EXPECT_EQ(table.strings[table.name[0]], "step");
    EXPECT_EQ(table.duration_ns[0], 20);
    EXPECT_EQ(table.strings[table.tracks[table.track[0]].thread], "43");
    EXPECT_EQ(argument_text(table, 0, "overheadType"), "Command buffer full (CUDA)");
    EXPECT_TRUE(table.losses.entries().empty());
  }
}

TEST(Nsys, NvtxTextsAreInlineOrByNumberAndEachTypeHasItsShape) {
  const EventTable table = read_sql(
      strings() +
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid "
      "INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES (10, 20, 59, 'forward', NULL, 1), (11, 19, 60, NULL, 5, 1), "
      "(12, NULL, 34, 'mark', NULL, 1), (13, NULL, 59, 'open', NULL, 1), (14, NULL, 75, 'domain', NULL, 1);");
  ASSERT_EQ(table.size(), 5);
  EXPECT_EQ(table.strings[table.name[0]], "forward");
  EXPECT_EQ(table.duration_ns[0], 10);
  EXPECT_EQ(table.kind[0], EventKind::kHostRange);
  EXPECT_EQ(table.strings[table.name[1]], "step");
  EXPECT_EQ(table.shape[1], EventShape::kSlice);
  EXPECT_EQ(table.shape[2], EventShape::kInstant);
  EXPECT_EQ(table.shape[3], EventShape::kInstant);
  EXPECT_EQ(table.kind[4], EventKind::kOther);
  ASSERT_EQ(table.losses.entries().size(), 1);
  EXPECT_EQ(table.losses.count(Loss::kUnmatchedBegin), 1);
}

TEST(Nsys, EachProcessIsARecordingForItsIdsAreItsOwn) {
  const int64_t other = int64_t{1} << 48 | int64_t{50} << 24;
  const EventTable table = read_sql(strings() + kernels() + kernel(10) + kernel(20, other) + kernel(30));
  ASSERT_EQ(table.recordings.size(), 2);
  EXPECT_EQ(table.recordings[1].format, "nsys");
  EXPECT_EQ(table.tracks[table.track[0]].recording, 0);
  EXPECT_EQ(table.tracks[table.track[1]].recording, 1);
  EXPECT_EQ(table.tracks[table.track[2]].recording, 0);
}

TEST(Nsys, ANameThatIsMissingIsShownByItsNumberAndALoss) {
  const EventTable table = read_sql(strings() + kernels() + kernel(10, kProcess, 999));
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.strings[table.name[0]], "999");
  EXPECT_EQ(table.losses.count(Loss::kUnknownName), 1);
}

TEST(Nsys, ATableThatIsNotReadIsNamed) {
  const EventTable table = read_sql(strings() + kernels() + kernel(10) +
                                    "CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER);"
                                    "INSERT INTO SCHED_EVENTS VALUES (1, 2);"
                                    "CREATE TABLE EMPTY_EVENTS (start INTEGER);");
  ASSERT_EQ(table.losses.entries().size(), 1);
  EXPECT_EQ(table.losses.count(Loss::kUnknownRecord), 1);
  EXPECT_EQ(table.losses.entries()[0].example, "t.db: tables not read: SCHED_EVENTS");
}

TEST(Nsys, WhatTheDeviceIsBecomesMetadata) {
  const EventTable table = read_sql(strings() +
                                    "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, luid INTEGER);"
                                    "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA A100', NULL);");
  ASSERT_EQ(table.metadata.size(), 1);
  EXPECT_EQ(table.strings[table.metadata[0].key], "TARGET_INFO_GPU");
  EXPECT_EQ(table.strings[table.metadata[0].value], R"({"id":0,"name":"NVIDIA A100"})");
}

}  // namespace
}  // namespace aaco
