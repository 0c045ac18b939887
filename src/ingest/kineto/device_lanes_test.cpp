// SPDX-License-Identifier: MIT
// Traces whose lanes have names and no categories, made for these tests.
#include "ingest/kineto/device_lanes.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "ingest/kineto/kineto.h"

namespace aaco {
namespace {

std::string process(int pid, const std::string& name) {
  return R"({"ph":"M","name":"process_name","pid":)" + std::to_string(pid) + R"(,"args":{"name":")" + name + R"("}},)";
}
std::string thread(int pid, int tid, const std::string& name) {
  return R"({"ph":"M","name":"thread_name","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) +
         R"(,"args":{"name":")" + name + R"("}},)";
}
std::string slice(int pid, int tid, const std::string& name, int ts, int dur, const std::string& args = "") {
  return R"({"ph":"X","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) + R"(,"name":")" + name +
         R"(","ts":)" + std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) + R"(,"args":{)" + args + "}},";
}

EventTable read(const std::string& events) {
  const std::string text = "[" + events + "{}]";
  const auto source = bytes_of(text);
  EventTable table;
  EXPECT_TRUE(read_kineto(*source, "t.json", 0, table));
  return table;
}

EventKind kind_of(const EventTable& table, std::string_view name) {
  for (size_t i = 0; i < table.size(); ++i) {
    if (table.strings[table.name[i]] == name) {
      return table.kind[i];
    }
  }
  ADD_FAILURE() << name;
  return EventKind::kOther;
}

const Track& track_of(const EventTable& table, std::string_view name) {
  size_t i = 0;
  while (i + 1 < table.size() && table.strings[table.name[i]] != name) {
    ++i;
  }
  return table.tracks[table.track[i]];
}

// The names may stand behind what they name.
TEST(DeviceLanes, JaxOnAGpu) {
  const EventTable table =
      read(slice(1, 118, "fusion", 0, 30) + slice(1, 118, "MemcpyD2H", 40, 5) + slice(1, 2, "jit_step", 0, 60) +
           slice(1, 3, "fusion.1", 0, 30) + slice(701, 9, "PjitFunction(step)", 0, 10) + process(1, "/device:GPU:2") +
           thread(1, 118, "Stream #118(MemcpyD2H,Compute)") + thread(1, 2, "XLA Modules") + thread(1, 3, "XLA Ops") +
           process(701, "/host:CPU"));
  EXPECT_EQ(kind_of(table, "fusion"), EventKind::kKernel);
  EXPECT_EQ(kind_of(table, "MemcpyD2H"), EventKind::kCopy);
  EXPECT_EQ(kind_of(table, "jit_step"), EventKind::kDeviceRange);
  EXPECT_EQ(kind_of(table, "fusion.1"), EventKind::kDeviceRange);  // its kernel is on the stream
  EXPECT_EQ(kind_of(table, "PjitFunction(step)"), EventKind::kHostRange);
  EXPECT_EQ(track_of(table, "fusion").device, 2);
  EXPECT_EQ(track_of(table, "fusion").stream, 118);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(DeviceLanes, JaxOnATpu) {
  const EventTable table =
      read(process(3, "/device:TPU:0") + thread(3, 1, "Steps") + thread(3, 2, "XLA Modules") + thread(3, 3, "XLA Ops") +
           thread(3, 4, "Async XLA Ops") + slice(3, 1, "7", 0, 100) + slice(3, 2, "jit_step", 0, 100) +
           slice(3, 3, "while.1", 0, 90) + slice(3, 3, "fusion.1", 0, 30) + slice(3, 3, "all-reduce.2", 30, 60) +
           slice(3, 3, "fusion.3", 90, 5) + slice(3, 4, "copy-start.1", 10, 20));
  EXPECT_EQ(kind_of(table, "7"), EventKind::kDeviceRange);
  EXPECT_EQ(kind_of(table, "jit_step"), EventKind::kDeviceRange);
  EXPECT_EQ(kind_of(table, "while.1"), EventKind::kDeviceRange);  // holds the next two
  EXPECT_EQ(kind_of(table, "fusion.1"), EventKind::kKernel);
  EXPECT_EQ(kind_of(table, "all-reduce.2"), EventKind::kKernel);
  EXPECT_EQ(kind_of(table, "fusion.3"), EventKind::kKernel);
  EXPECT_EQ(kind_of(table, "copy-start.1"), EventKind::kCopy);
}

TEST(DeviceLanes, Ascend) {
  const EventTable table =
      read(process(2, "Ascend Hardware") + thread(2, 3, "Stream 3") + process(3, "Overlap Analysis") +
           process(4, "Communication") + thread(4, 1, "Group 0 Communication") + thread(4, 2, "Plane 0") +
           slice(2, 3, "MatMulV2", 0, 40, R"("Task Type":"AI_CORE")") +
           slice(2, 3, "EVENT_WAIT", 40, 5, R"("Task Type":"EVENT_WAIT")") + slice(3, 0, "Computing", 0, 40) +
           slice(4, 1, "hcom_allReduce__1_0", 50, 10) + slice(4, 2, "Notify_Wait", 50, 10));
  EXPECT_EQ(kind_of(table, "MatMulV2"), EventKind::kKernel);
  EXPECT_EQ(kind_of(table, "EVENT_WAIT"), EventKind::kDeviceSync);
  EXPECT_EQ(kind_of(table, "Computing"), EventKind::kOther);
  EXPECT_EQ(kind_of(table, "hcom_allReduce__1_0"), EventKind::kKernel);
  EXPECT_EQ(kind_of(table, "Notify_Wait"), EventKind::kDeviceRange);
  EXPECT_EQ(track_of(table, "MatMulV2").device, 0);
  EXPECT_EQ(track_of(table, "MatMulV2").stream, 3);
  EXPECT_EQ(track_of(table, "hcom_allReduce__1_0").device, 0);
  EXPECT_TRUE(table.losses.entries().empty());
}

// Where the streams show collectives, the lane of collectives shows them again.
TEST(DeviceLanes, AscendsCollectivesOnce) {
  const EventTable table = read(process(2, "Ascend Hardware") + thread(2, 3, "Stream 3") + process(4, "HCCL") +
                                thread(4, 1, "Group 0 Communication") + slice(2, 3, "hcom_allReduce__1_0", 50, 10) +
                                slice(4, 1, "hcom_allReduce__1_0 again", 50, 10));
  EXPECT_EQ(kind_of(table, "hcom_allReduce__1_0"), EventKind::kKernel);
  EXPECT_EQ(kind_of(table, "hcom_allReduce__1_0 again"), EventKind::kDeviceRange);
}

TEST(DeviceLanes, PyTorchBeforeKineto) {
  const EventTable table =
      read(R"({"ph":"X","pid":"CPU functions","tid":1,"name":"aten::mul","ts":0,"dur":10,"args":{}},)"
           R"({"ph":"X","pid":"CUDA functions","tid":1,"name":"mul_kernel","ts":12,"dur":20,"args":{}},)"
           R"({"ph":"s","cat":"cpu_to_cuda","pid":"CPU functions","tid":1,"name":"aten::mul","ts":0,"id":0},)"
           R"({"ph":"f","cat":"cpu_to_cuda","pid":"CUDA functions","tid":1,"name":"aten::mul","ts":12,"id":0},)");
  EXPECT_EQ(kind_of(table, "aten::mul"), EventKind::kHostOp);
  EXPECT_EQ(kind_of(table, "mul_kernel"), EventKind::kKernel);
  EXPECT_EQ(track_of(table, "mul_kernel").device, 1);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(DeviceLanes, ThoseNotUnderstoodAreNamed) {
  const EventTable table = read(process(5, "FooChip NPU 0") + thread(5, 1, "queue A") + slice(5, 1, "matmul", 0, 10) +
                                slice(5, 2, "matmul", 0, 10) + slice(6, 1, "python", 0, 10));
  EXPECT_EQ(table.losses.count(Loss::kUnknownLane), 2);
  EXPECT_EQ(table.losses.count(Loss::kUnknownCategory), 1);
  EXPECT_TRUE(table.losses.in_part());
  for (const LossTable::Entry& entry : table.losses.entries()) {
    if (entry.loss == Loss::kUnknownLane) {
      EXPECT_EQ(entry.example, "t.json: \"FooChip NPU 0 / queue A\", \"FooChip NPU 0 / 2\"");
    }
  }
}

// Beside work that is understood they are what any unknown category is.
TEST(DeviceLanes, BesideKnownWorkTheyAreANote) {
  const EventTable table = read(process(5, "GPU trace") + slice(5, 1, "x", 0, 10) +
                                R"({"ph":"X","cat":"kernel","pid":0,"tid":7,"name":"k","ts":0,"dur":10,"args":{}},)");
  EXPECT_EQ(table.losses.count(Loss::kUnknownLane), 0);
  EXPECT_EQ(table.losses.count(Loss::kUnknownCategory), 1);
  EXPECT_FALSE(table.losses.in_part());
}

}  // namespace
}  // namespace aaco
