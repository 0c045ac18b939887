// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/operator_statistics.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/timeline/test_trace.h"

namespace aaco {
namespace {

std::vector<OperatorWork> operators_of(const EventTable& events) {
  return operator_statistics(events, link_operators(events, device_work(events, LaunchIndex(events))));
}

const OperatorStatistics& named(const EventTable& events, const std::vector<OperatorStatistics>& all,
                                const std::string& name) {
  return *std::find_if(all.begin(), all.end(),
                       [&](const OperatorStatistics& statistics) { return events.strings[statistics.name] == name; });
}

class Operators : public testing::Test {
 protected:
  void op(const char* name, int64_t start_ns, int64_t end_ns, int64_t external_id = kNoId, const char* shapes = "") {
    std::vector<Argument> arguments;
    if (*shapes != '\0') {
      arguments.push_back(trace_.text("Input Dims", shapes));
    }
    trace_.add(host_, EventKind::kHostOp, name, start_ns, end_ns - start_ns, kNoId, arguments, external_id);
  }
  // A call and the kernel that it launches.
  void launch(int64_t start_ns, int64_t device_ns, int64_t external_id = kNoId) {
    ++correlation_;
    trace_.add(host_, EventKind::kHostCall, "launch", start_ns, 1, correlation_, {}, external_id);
    trace_.add(stream_, EventKind::kKernel, "k", 1'000 * correlation_, device_ns, correlation_);
  }
  OperatorWork work() { return operators_of(trace_.table).at(0); }
  const EventTable& events() const { return trace_.table; }

  TestTrace trace_;
  uint32_t host_ = trace_.thread(0);
  uint32_t stream_ = trace_.stream(0, 0, 7);
  int64_t correlation_ = 0;
};

TEST_F(Operators, SelfIsOfTheInnermostAndTotalOfAllAround) {
  op("outer", 0, 100);
  op("inner", 20, 40);
  launch(10, 1);
  launch(25, 10);
  launch(40, 100);  // inner has ended
  const OperatorWork all = work();
  const OperatorStatistics& outer = named(events(), all.by_name, "outer");
  const OperatorStatistics& inner = named(events(), all.by_name, "inner");
  EXPECT_EQ(outer.self_ns, 101);
  EXPECT_EQ(outer.total_ns, 111);
  EXPECT_EQ(outer.launched, 2);
  EXPECT_EQ(outer.host_ns, 100);
  EXPECT_EQ(outer.host_self_ns, 80);
  EXPECT_EQ(inner.host_self_ns, 20);
  EXPECT_EQ(inner.self_ns, 10);
  EXPECT_EQ(inner.total_ns, 10);
  EXPECT_EQ(all.device_ns, 111);
  EXPECT_EQ(all.links.by_time, 3);
  EXPECT_EQ(events().strings[all.by_name[0].name], "outer");
}

TEST_F(Operators, OnTheHostEachMomentOfAThreadIsOfOne) {
  const uint32_t other = trace_.thread(0);
  op("a", 0, 100);
  op("b", 10, 40);
  op("c", 20, 30);
  op("b", 50, 60);
  trace_.add(other, EventKind::kHostOp, "b", 15, 7);
  const OperatorWork all = work();
  EXPECT_EQ(named(events(), all.by_name, "a").host_self_ns, 60);
  EXPECT_EQ(named(events(), all.by_name, "b").host_self_ns, 20 + 10 + 7);
  EXPECT_EQ(named(events(), all.by_name, "c").host_self_ns, 10);
  EXPECT_EQ(events().strings[all.by_name[0].name], "a");  // the longest first
  EXPECT_EQ(events().strings[all.by_name[1].name], "b");
}

TEST_F(Operators, NodesOfOnnxRuntimeByTypeAndShapes) {
  const auto node = [&](const char* name, int64_t start_ns, const char* shapes) {
    trace_.add(host_, EventKind::kHostOp, name, start_ns, 5, kNoId,
               {trace_.text("op_name", "MatMul"), trace_.text("input_type_shape", shapes)});
  };
  node("mm0_kernel_time", 0, "[2]");
  node("mm1_kernel_time", 10, "[4]");
  node("mm1_fence_after", 20, "[4]");
  const OperatorWork all = work();
  ASSERT_EQ(all.by_name.size(), 2);
  EXPECT_EQ(named(events(), all.by_name, "MatMul").host_self_ns, 10);
  EXPECT_EQ(named(events(), all.by_name, "mm1_fence_after").count, 1);
  ASSERT_EQ(all.by_shape.size(), 3);
  EXPECT_EQ(events().strings[all.by_shape[0].shapes], "[2]");
}

TEST_F(Operators, WithinItselfCountedOnce) {
  op("aten::to", 0, 100);
  op("aten::to", 10, 50);
  launch(20, 5);
  const OperatorWork all = work();
  ASSERT_EQ(all.by_name.size(), 1);
  EXPECT_EQ(all.by_name[0].count, 2);
  EXPECT_EQ(all.by_name[0].total_ns, 5);
  EXPECT_EQ(all.by_name[0].host_ns, 100);
}

TEST_F(Operators, TheExternalIdWhereNoOperatorIsOnTheThread) {
  op("op", 0, 10, 7);
  launch(50, 3, 7);
  launch(60, 4, 8);  // of no operator
  launch(70, 5, 0);  // which is none
  trace_.add(stream_, EventKind::kKernel, "alone", 90'000, 6);
  const OperatorWork all = work();
  EXPECT_EQ(all.by_name[0].self_ns, 3);
  EXPECT_EQ(all.by_name[0].total_ns, 3);
  EXPECT_EQ(all.links.by_external_id, 1);
  EXPECT_EQ(all.links.no_operator, 2);
  EXPECT_EQ(all.links.no_launch, 1);
  EXPECT_EQ(all.device_ns, 18);
}

TEST_F(Operators, ByShape) {
  op("mm", 0, 10, kNoId, "[[2, 2]]");
  op("mm", 20, 30, kNoId, "[[4, 4]]");
  launch(5, 1);
  launch(25, 8);
  const OperatorWork all = work();
  ASSERT_EQ(all.by_name.size(), 1);
  EXPECT_EQ(all.by_name[0].self_ns, 9);
  ASSERT_EQ(all.by_shape.size(), 2);
  EXPECT_EQ(events().strings[all.by_shape[0].shapes], "[[4, 4]]");
  EXPECT_EQ(all.by_shape[0].self_ns, 8);
  EXPECT_EQ(all.by_shape[1].total_ns, 1);
}

TEST_F(Operators, EachRankForItself) {
  op("op", 0, 10);
  launch(5, 1);
  const uint32_t other = trace_.thread(1);
  trace_.add(other, EventKind::kHostOp, "op", 0, 10);
  const auto all = operators_of(trace_.table);
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0].by_name[0].self_ns, 1);
  EXPECT_EQ(all[1].by_name[0].self_ns, 0);
}

// By definition: self goes to the operator that began last of those around the call, total to each name around it.
TEST_F(Operators, AsDefinedOnRandomTraces) {
  std::mt19937 random(9);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  for (int round = 0; round < 2'000; ++round) {
    trace_ = TestTrace();
    host_ = trace_.thread(0);
    stream_ = trace_.stream(0, 0, 7);
    static constexpr const char* kNames[] = {"a", "b", "c"};
    for (int64_t i = 1 + below(8); i > 0; --i) {
      const int64_t start_ns = below(40);
      op(kNames[below(3)], start_ns, start_ns + below(20));
    }
    for (int64_t i = below(8); i > 0; --i) {
      launch(below(50), 1 + below(100));
    }
    std::map<StringId, std::pair<int64_t, int64_t>> expected;  // self and total
    for (size_t call = 0; call < events().size(); ++call) {
      if (events().kind[call] != EventKind::kHostCall) {
        continue;
      }
      const int64_t device_ns = events().duration_ns[call + 1];
      std::vector<std::tuple<int64_t, int64_t, size_t>> around;
      std::map<StringId, bool> names;
      for (size_t i = 0; i < events().size(); ++i) {
        if (events().kind[i] == EventKind::kHostOp && events().start_ns[i] <= events().start_ns[call] &&
            events().start_ns[call] < events().end_ns(i)) {
          around.emplace_back(events().start_ns[i], -events().duration_ns[i], i);
          names[events().name[i]] = true;
        }
      }
      if (!around.empty()) {
        expected[events().name[std::get<2>(*std::max_element(around.begin(), around.end()))]].first += device_ns;
      }
      for (const auto& [name, name_id] : names) {
        expected[name].second += device_ns;
      }
    }
    for (const OperatorStatistics& statistics : work().by_name) {
      ASSERT_EQ(std::pair(statistics.self_ns, statistics.total_ns), expected[statistics.name]) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace aaco
