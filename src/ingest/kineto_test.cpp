// SPDX-License-Identifier: MIT
#include "ingest/kineto.h"

#include <bit>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace aaco {
namespace {

EventTable read(const std::string& events) {
  const std::string text = "{\"distributedInfo\": {\"rank\": 3}, \"traceEvents\": [" + events + "]}";
  const auto source = bytes_of(text);
  auto table = read_kineto(*source, "t.json");
  EXPECT_TRUE(table) << table.error().message;
  return table ? std::move(*table) : EventTable();
}

const std::string kKernel =
    R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 2, "tid": 7, "ts": 100.001, "dur": 2.5, "args": {
      "External id": 44, "device": 2, "stream": 7, "correlation": 9, "grid": [ 1, 2,
      3], "est. achieved occupancy %": 33.5}})";

TEST(Kineto, AKernelHasItsTimesIdsAndPlace) {
  const EventTable table = read(kKernel);
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.start_ns[0], 100'001);
  EXPECT_EQ(table.duration_ns[0], 2'500);
  EXPECT_EQ(table.kind[0], EventKind::kKernel);
  EXPECT_EQ(table.shape[0], EventShape::kSlice);
  EXPECT_EQ(table.strings[table.name[0]], "k");
  EXPECT_EQ(table.correlation[0], 9);
  EXPECT_EQ(table.external_id[0], 44);
  const Track& track = table.tracks[table.track[0]];
  EXPECT_EQ(track.device, 2);
  EXPECT_EQ(track.stream, 7);
  EXPECT_EQ(track.rank, 3);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(Kineto, ArgumentsKeepTheirTypes) {
  EventTable table = read(kKernel);
  const auto find = [&](const char* key) { return table.arguments.find(0, table.strings.intern(key)); };
  EXPECT_EQ(find("device")->type, ArgumentType::kInteger);
  EXPECT_EQ(find("device")->bits, 2);
  EXPECT_EQ(find("grid")->type, ArgumentType::kJson);
  EXPECT_EQ(table.text_of(*find("grid")), "[1,2,3]");
  EXPECT_EQ(find("est. achieved occupancy %")->type, ArgumentType::kReal);
  EXPECT_EQ(std::bit_cast<double>(find("est. achieved occupancy %")->bits), 33.5);
  EXPECT_FALSE(find("not there"));
}

// Today's categories, and those of 2021.
TEST(Kineto, CategoriesBecomeKinds) {
  const std::map<std::string, EventKind> kinds{{"cpu_op", EventKind::kHostOp},
                                               {"Operator", EventKind::kHostOp},
                                               {"cuda_runtime", EventKind::kHostCall},
                                               {"hip_runtime", EventKind::kHostCall},
                                               {"Runtime", EventKind::kHostCall},
                                               {"user_annotation", EventKind::kHostRange},
                                               {"python_function", EventKind::kHostRange},
                                               {"Kernel", EventKind::kKernel},
                                               {"gpu_memcpy", EventKind::kCopy},
                                               {"Memcpy", EventKind::kCopy},
                                               {"gpu_memset", EventKind::kSet},
                                               {"gpu_user_annotation", EventKind::kDeviceRange},
                                               {"cuda_sync", EventKind::kDeviceSync},
                                               {"Trace", EventKind::kOther}};
  for (const auto& [category, kind] : kinds) {
    const EventTable table =
        read(R"({"ph":"X","cat":")" + category + R"(","name":"n","pid":1,"tid":"1","ts":1,"dur":1})");
    ASSERT_EQ(table.size(), 1);
    EXPECT_EQ(table.kind[0], kind) << category;
    EXPECT_EQ(table.strings[table.category[0]], category);
    EXPECT_EQ(table.losses.count(Loss::kUnknownCategory), 0);
  }
}

TEST(Kineto, TracksAreTheFilesThreadsAndStreams) {
  const EventTable table = read(
      R"({"ph":"M","name":"process_name","pid":5,"tid":0,"args":{"name":"python"}},
         {"ph":"M","name":"thread_name","pid":5,"tid":"8","args":{"name":"main"}},
         {"ph":"X","cat":"cpu_op","name":"a","pid":5,"tid":8,"ts":1,"dur":1},
         {"ph":"X","cat":"cpu_op","name":"a","pid":5,"tid":"8","ts":2,"dur":1},
         {"ph":"X","cat":"Kernel","name":"b","pid":0,"tid":"stream 7","ts":2,"dur":1,"args":{"device":0,"stream":7}},
         {"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":2,"dur":1},
         {"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":2,"dur":1,"args":{"rank":1}})");
  ASSERT_EQ(table.size(), 7);
  EXPECT_EQ(table.track[2], table.track[3]);  // the same thread, as a number and as a text
  const Track& thread = table.tracks[table.track[2]];
  EXPECT_EQ(table.strings[thread.process_name], "python");
  EXPECT_EQ(table.strings[thread.thread_name], "main");
  EXPECT_EQ(thread.device, kNoId);
  EXPECT_EQ(table.tracks[table.track[4]].stream, 7);
  EXPECT_EQ(table.tracks[table.track[5]].device, 0);  // by process and thread, where no argument says it
  EXPECT_EQ(table.tracks[table.track[5]].stream, 7);
  EXPECT_EQ(table.tracks[table.track[6]].rank, 1);
  EXPECT_NE(table.track[5], table.track[6]);
}

TEST(Kineto, OtherMarks) {
  const EventTable table = read(
      R"({"ph":"s","id":44,"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":1},
         {"ph":"f","id":"44","bp":"e","cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":2},
         {"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":3,"args":{"Bytes":512}},
         {"ph":"C","name":"count","pid":1,"ts":4,"args":{"v":1}},
         {"ph":"B","name":"outer","pid":1,"tid":1,"ts":5},
         {"ph":"B","name":"inner","pid":1,"tid":1,"ts":6},
         {"ph":"E","pid":1,"tid":1,"ts":8},
         {"ph":"E","pid":1,"tid":1,"ts":9})");
  ASSERT_EQ(table.size(), 6);
  EXPECT_EQ(table.shape[0], EventShape::kFlowStart);
  EXPECT_EQ(table.shape[1], EventShape::kFlowEnd);
  EXPECT_EQ(table.correlation[1], 44);
  EXPECT_EQ(table.shape[2], EventShape::kInstant);
  EXPECT_EQ(table.shape[3], EventShape::kCounter);
  EXPECT_EQ(table.duration_ns[4], 4'000);
  EXPECT_EQ(table.duration_ns[5], 2'000);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(Kineto, EachLossIsCounted) {
  const std::map<std::string, Loss> losses{
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"dur":1})", Loss::kNoTime},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":"1","dur":1})", Loss::kNoTime},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1e20,"dur":1})", Loss::kTimeRange},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":9e15,"dur":9e15})", Loss::kTimeRange},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1,"dur":-1})", Loss::kNegativeDuration},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1,"dur":0})", Loss::kZeroDuration},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1.0005,"dur":1})", Loss::kSubNanosecond},
      {R"({"ph":"X","cat":"martian","name":"n","pid":1,"tid":1,"ts":1,"dur":1})", Loss::kUnknownCategory},
      {R"({"ph":"Q","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1})", Loss::kUnknownPhase},
      {R"({"ph":"B","name":"n","pid":1,"tid":1,"ts":1})", Loss::kUnmatchedBegin},
      {R"({"ph":"E","name":"n","pid":1,"tid":1,"ts":1})", Loss::kUnmatchedBegin},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1,"dur":1,"ts":2})", Loss::kDuplicateKey},
      {R"({"ph":"X","cat":"kernel","name":"n","pid":1,"tid":1,"ts":1,"dur":1,"args":{"grid":[1 2]}})",
       Loss::kMalformedEvent},
  };
  for (const auto& [event, loss] : losses) {
    const EventTable table = read(kKernel + "," + event);
    ASSERT_EQ(table.losses.entries().size(), 1) << event;
    EXPECT_EQ(table.losses.count(loss), 1) << event;
  }
}

TEST(Kineto, NothingOfATraceIsNoTrace) {
  const std::string text = R"([{"kind":"replay"},{"kind":"other"}])";
  const auto source = bytes_of(text);
  const auto table = read_kineto(*source, "t.json");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().kind, ErrorKind::kUsage);
}

// Longer than a window, so that events lie across its ends, at every offset.
TEST(Kineto, EventsAcrossWindowsAreWhole) {
  std::string events;
  int64_t total_ns = 0;
  constexpr int kCount = 40'000;
  for (int i = 0; i < kCount; ++i) {
    total_ns += i;
    events += std::string(i == 0 ? "" : ",") + R"({"ph":"X","cat":"kernel","name":"kernel )" +
              std::string(i % 97, 'k') + R"(","pid":0,"tid":7,"ts":)" + std::to_string(i) + R"(,"dur":0.)" +
              std::to_string(1000 + i % 1000).substr(1) + R"(,"args":{"correlation":)" + std::to_string(i) +
              R"(,"grid":[)" + std::to_string(i) + "]}}";
  }
  ASSERT_GT(events.size(), size_t{4} << 20);
  const EventTable table = read(events);
  ASSERT_EQ(table.size(), kCount);
  for (int i = 0; i < kCount; ++i) {
    ASSERT_EQ(table.correlation[i], i);
    ASSERT_EQ(table.duration_ns[i], i % 1000);
    ASSERT_EQ(table.strings[table.name[i]].size(), 7 + i % 97);
  }
}

}  // namespace
}  // namespace aaco
