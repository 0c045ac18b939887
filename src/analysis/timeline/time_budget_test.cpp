// SPDX-License-Identifier: MIT
#include "analysis/timeline/time_budget.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "analysis/timeline/test_trace.h"

namespace aaco {
namespace {

struct Work {
  Span span;
  WorkClass work;
};

Work slice(int64_t start_ns, int64_t end_ns, WorkClass work) { return {{start_ns, end_ns}, work}; }

TimeBudget budget_of(const std::vector<Work>& all) {
  TestTrace trace;
  const uint32_t stream = trace.stream(kNoId, 0, 7);
  std::vector<DeviceSlice> slices;
  for (const Work& work : all) {
    slices.push_back({static_cast<EventRow>(trace.table.size()), kNoEvent, work.work});
    trace.add(stream, EventKind::kKernel, "k", work.span.start_ns, work.span.end_ns - work.span.start_ns);
  }
  return time_budget(trace.table, slices);
}

TEST(TimeBudget, EachClassIsWhatTheOnesBeforeItLeave) {
  // computation   [0,10)            [30,40)
  // communication      [5,20)
  // copy                    [15,25)                [50,60)
  const std::vector<Work> slices{slice(0, 10, WorkClass::kComputation), slice(30, 40, WorkClass::kComputation),
                                 slice(5, 20, WorkClass::kCommunication), slice(15, 25, WorkClass::kCopy),
                                 slice(50, 60, WorkClass::kCopy)};
  const TimeBudget budget = budget_of(slices);
  EXPECT_EQ(budget.shares.window, (Span{0, 60}));
  EXPECT_EQ(budget.computation, (SpanSet{{0, 10}, {30, 40}}));
  EXPECT_EQ(budget.exposed_communication, (SpanSet{{10, 20}}));
  EXPECT_EQ(budget.exposed_copy, (SpanSet{{20, 25}, {50, 60}}));
  EXPECT_EQ(budget.idle, (SpanSet{{25, 30}, {40, 50}}));
  EXPECT_EQ(budget.shares.communication_ns, 15);
  EXPECT_EQ(budget.shares.hidden_communication_ns, 5);
  EXPECT_EQ(budget.shares.copy_ns, 20);
  EXPECT_EQ(budget.shares.computation_ns, 20);
  EXPECT_EQ(budget.shares.exposed_communication_ns, 10);
  EXPECT_EQ(budget.shares.exposed_copy_ns, 15);
  EXPECT_EQ(budget.shares.idle_ns, 15);
  EXPECT_EQ(budget.shares.slices, (std::array<uint64_t, kWorkClasses>{2, 1, 2}));
}

TEST(TimeBudget, OverlappingSlicesCountOnceInTheUnionAndTwiceInTheSum) {
  const std::vector<Work> slices{slice(0, 10, WorkClass::kComputation), slice(2, 12, WorkClass::kComputation)};
  const TimeBudget budget = budget_of(slices);
  EXPECT_EQ(length_ns(budget.computation), 12);
  EXPECT_EQ(budget.shares.slice_sum_ns[0], 20);
}

TEST(TimeBudget, OfNothingIsNothing) {
  const TimeBudget budget = budget_of({});
  EXPECT_EQ(budget.shares.window_ns(), 0);
  EXPECT_TRUE(budget.idle.empty());
}

// A label for each nanosecond of a small trace, by the definition.
std::vector<int> labels(const std::vector<Work>& slices, const Span& window) {
  std::vector<int> label(static_cast<size_t>(window.end_ns - window.start_ns), 3);
  for (const Work& work : slices) {
    for (int64_t t = work.span.start_ns; t < work.span.end_ns; ++t) {
      int& at = label[static_cast<size_t>(t - window.start_ns)];
      at = std::min(at, static_cast<int>(work.work));
    }
  }
  return label;
}

struct CoveredTimes {
  int64_t communication_ns = 0;
  int64_t hidden_communication_ns = 0;
  int64_t copy_ns = 0;
};

// Nanosecond by nanosecond.
CoveredTimes covered_by(const std::vector<Work>& slices, const Span& window) {
  CoveredTimes covered;
  for (int64_t t = window.start_ns; t < window.end_ns; ++t) {
    const auto runs = [&](WorkClass work) {
      return std::any_of(slices.begin(), slices.end(), [&](const Work& slice) {
        return slice.work == work && slice.span.start_ns <= t && t < slice.span.end_ns;
      });
    };
    const bool communicates = runs(WorkClass::kCommunication);
    covered.communication_ns += communicates ? 1 : 0;
    covered.hidden_communication_ns += communicates && runs(WorkClass::kComputation) ? 1 : 0;
    covered.copy_ns += runs(WorkClass::kCopy) ? 1 : 0;
  }
  return covered;
}

TEST(TimeBudget, EqualsABruteForceLabelling) {
  std::mt19937 random(11);
  for (int round = 0; round < 3'000; ++round) {
    std::vector<Work> slices;
    const auto count = 1 + random() % 12;
    for (size_t i = 0; i < count; ++i) {
      const auto start = static_cast<int64_t>(random() % 60);
      slices.push_back(slice(start - 20, start - 20 + static_cast<int64_t>(random() % 15),
                             static_cast<WorkClass>(random() % kWorkClasses)));
    }
    const TimeBudget budget = budget_of(slices);
    const std::vector<int> expected = labels(slices, budget.shares.window);
    const SpanSet* classes[] = {&budget.computation, &budget.exposed_communication, &budget.exposed_copy, &budget.idle};
    std::vector<int> got(expected.size(), -1);
    const int64_t lengths_ns[] = {budget.shares.computation_ns, budget.shares.exposed_communication_ns,
                                  budget.shares.exposed_copy_ns, budget.shares.idle_ns};
    int64_t total_ns = 0;
    for (int label = 0; label < 4; ++label) {
      ASSERT_EQ(length_ns(*classes[label]), lengths_ns[label]) << "round " << round;
      total_ns += lengths_ns[label];
      for (const Span& span : *classes[label]) {
        for (int64_t t = span.start_ns; t < span.end_ns; ++t) {
          int& at = got[static_cast<size_t>(t - budget.shares.window.start_ns)];
          ASSERT_EQ(at, -1) << "two classes at " << t;
          at = label;
        }
      }
    }
    ASSERT_EQ(got, expected) << "round " << round;
    ASSERT_EQ(total_ns, budget.shares.window_ns());
    const CoveredTimes covered = covered_by(slices, budget.shares.window);
    ASSERT_EQ(budget.shares.communication_ns, covered.communication_ns) << "round " << round;
    ASSERT_EQ(budget.shares.hidden_communication_ns, covered.hidden_communication_ns) << "round " << round;
    ASSERT_EQ(budget.shares.copy_ns, covered.copy_ns) << "round " << round;
    std::shuffle(slices.begin(), slices.end(), random);
    ASSERT_EQ(budget_of(slices).idle, budget.idle);  // the order of input changes nothing
  }
}

}  // namespace
}  // namespace aaco
