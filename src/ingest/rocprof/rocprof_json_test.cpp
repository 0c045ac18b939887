// SPDX-License-Identifier: MIT
#include "ingest/rocprof/rocprof_json.h"

#include <gtest/gtest.h>
#include <string>

namespace aaco {
namespace {

EventTable read(const std::string& events) {
  const std::string text = "{ \"traceEvents\":[{}\n" + events + "],\"otherData\": {\"Agents\": \"10\"}}";
  EXPECT_TRUE(is_rocprof_json(text));
  const auto source = bytes_of(text);
  EventTable table;
  const auto done = read_rocprof_json({"t.json", "t.json", *source}, table);
  EXPECT_TRUE(done) << done.error().message;
  return table;
}

std::string slice(const std::string& name, int process, const std::string& more) {
  return R"(,{"ph":"X","name":")" + name + R"(","pid":")" + std::to_string(process) +
         R"(","tid":"1","ts":"773902406300","dur":"5","args":{"BeginNs":"773902406300661","EndNs":"773902406305941",)" +
         more + R"("DurationNs":"5280"}})";
}

TEST(RocprofJson, TimesArePreciseAndNumbersAreRead) {
  const EventTable table = read(slice("k", 8, R"("dev-id":"2","queue-id":"0","stream-id":"1",)"));
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.start_ns[0], 773'902'406'300'661);
  EXPECT_EQ(table.duration_ns[0], 5'280);
  EXPECT_EQ(table.kind[0], EventKind::kKernel);
  EXPECT_EQ(table.tracks[table.track[0]].device, 2);
  EXPECT_EQ(table.tracks[table.track[0]].stream, 1);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(RocprofJson, TheProcessSaysWhatAnEventIs) {
  const EventTable table = read(slice("marker", 0, "") + slice("CopyHostToDevice", 1, R"("dev-id":"0",)") +
                                slice("hipMalloc", 2, "") + slice("hsa_init", 3, "") + slice("k", 6, ""));
  const EventKind kinds[] = {EventKind::kHostRange, EventKind::kCopy, EventKind::kHostCall, EventKind::kHostCall,
                             EventKind::kKernel};
  ASSERT_EQ(table.size(), std::size(kinds));
  for (size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table.kind[i], kinds[i]) << i;
  }
}

TEST(RocprofJson, ArrowsHaveAStartAndAStep) {
  const EventTable table = read(R"(,{"ts":773902258953,"ph":"s","cat":"DataFlow","id":7,"pid":2,"tid":517,"name":"dep"}
,{"ts":773902396463,"ph":"t","cat":"DataFlow","id":7,"pid":1,"tid":1,"name":"dep"})");
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.shape[0], EventShape::kFlowStart);
  EXPECT_EQ(table.shape[1], EventShape::kFlowEnd);
  EXPECT_EQ(table.correlation[1], 7);
  EXPECT_TRUE(table.losses.entries().empty());
}

// A later version's: rounded times begin with the recording, exact ones do not.
TEST(RocprofJson, ArrowsJoinCallsAndTheirWork) {
  const auto slice = [](const std::string& name, int process, int64_t rounded_us, int64_t start_ns, int64_t end_ns) {
    return R"(,{"ph":"X","name":")" + name + R"(","pid":")" + std::to_string(process) + R"(","tid":"1","ts":")" +
           std::to_string(rounded_us) + R"(","dur":"1","args":{"BeginNs":")" + std::to_string(start_ns) +
           R"(","EndNs":")" + std::to_string(end_ns) + R"("}})";
  };
  const auto arrow = [](int id, int from_us, int to_us) {
    const std::string tail = R"(,"cat":"DataFlow","tid":1,"name":"dep","id":)" + std::to_string(id) + "}";
    return R"(,{"ph":"s","pid":2,"ts":)" + std::to_string(from_us) + tail + R"(,{"ph":"t","pid":6,"ts":)" +
           std::to_string(to_us) + tail;
  };
  constexpr int64_t kBegin = 84'118'448'637'699;  // of the recording
  const EventTable table = read(
      slice("hipMemcpy", 2, 10, kBegin + 10'000, kBegin + 20'300) +
      slice("hipLaunchKernel", 2, 12, kBegin + 12'100, kBegin + 13'400) +
      slice("hipGetLastError", 2, 13, kBegin + 13'500, kBegin + 13'600) +
      slice("a", 6, 14, kBegin + 14'999, kBegin + 15'500) + slice("b", 6, 30, kBegin + 30'001, kBegin + 31'000) +
      slice("c", 6, 40, kBegin + 40'000, kBegin + 41'000) + arrow(0, 13, 14) + arrow(1, 13, 30) + arrow(2, 25, 40));
  ASSERT_EQ(table.size(), 12);
  EXPECT_EQ(table.correlation[0], kNoId);
  EXPECT_NE(table.correlation[1], kNoId);
  EXPECT_EQ(table.correlation[2], kNoId);  // began in the arrow's microsecond, after the call that the arrow leaves
  EXPECT_EQ(table.correlation[3], table.correlation[1]);
  EXPECT_EQ(table.correlation[4], table.correlation[1]);
  EXPECT_EQ(table.correlation[5], kNoId);  // its arrow leaves when no call is under way
  EXPECT_EQ(table.start_ns[6], kBegin + 13'000);
  EXPECT_EQ(table.start_ns[7], kBegin + 14'000);
}

// Work that began before its arrow could: the writer moves the arrow's start to its end.
TEST(RocprofJson, AMovedArrowJoinsOnlyTheCallThatHoldsItsWork) {
  const auto slice = [](const std::string& name, int process, int64_t start_ns, int64_t end_ns) {
    return R"(,{"ph":"X","name":")" + name + R"(","pid":")" + std::to_string(process) + R"(","tid":"1","ts":")" +
           std::to_string(start_ns / 1000) + R"(","dur":"1","args":{"BeginNs":")" + std::to_string(start_ns) +
           R"(","EndNs":")" + std::to_string(end_ns) + R"("}})";
  };
  const auto arrow = [](int id, int at_us) {
    const std::string tail = R"(,"cat":"DataFlow","tid":1,"name":"dep","ts":)" + std::to_string(at_us) + R"(,"id":)" +
                             std::to_string(id) + "}";
    return R"(,{"ph":"s","pid":2)" + tail + R"(,{"ph":"t","pid":1)" + tail;
  };
  const EventTable table = read(slice("hipMemcpy", 2, 10'000, 20'000) + slice("CopyHostToDevice", 1, 12'000, 18'000) +
                                slice("hipMemset", 2, 30'000, 40'000) + slice("CopyDeviceToHost", 1, 38'000, 45'000) +
                                arrow(0, 12) + arrow(1, 38));
  ASSERT_EQ(table.size(), 8);
  EXPECT_NE(table.correlation[0], kNoId);
  EXPECT_EQ(table.correlation[1], table.correlation[0]);
  EXPECT_EQ(table.correlation[2], kNoId);
  EXPECT_EQ(table.correlation[3], kNoId);
}

TEST(RocprofJson, WorkWithoutACallHasItsDeviceAndQueue) {
  const EventTable table = read(slice("k", 8, R"("gpu-id":"2","queue-id":"3",)"));
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.tracks[table.track[0]].device, 2);
  EXPECT_EQ(table.tracks[table.track[0]].stream, 3);
}

TEST(RocprofJson, WithoutPreciseTimesTheRoundOnesCount) {
  const EventTable table =
      read(R"(,{"ph":"X","name":"k","pid":"6","tid":"1","ts":"12","dur":"5","args":{"BeginNs":""}})"
           R"(,{"ph":"X","name":"k","pid":"6","tid":"1","ts":"twelve","dur":"5","args":{}})");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.start_ns[0], 12'000);
  EXPECT_EQ(table.duration_ns[0], 5'000);
  EXPECT_EQ(table.losses.count(Loss::kNoTime), 1);
}

TEST(RocprofJson, IsKnownByItsEmptyObject) {
  EXPECT_TRUE(is_rocprof_json("{ \"traceEvents\":[{}\n,"));
  EXPECT_FALSE(is_rocprof_json("{\"traceEvents\": [{\"ph\""));
  EXPECT_FALSE(is_rocprof_json(",{\"args\":{}}"));
  EXPECT_FALSE(is_rocprof_json("{ \"trace"));
}

}  // namespace
}  // namespace aaco
