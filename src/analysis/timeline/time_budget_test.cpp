// SPDX-License-Identifier: MIT
#include "analysis/timeline/time_budget.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace aaco {
namespace {

DeviceSlice slice(int64_t start_ns, int64_t end_ns, WorkClass work) { return {{start_ns, end_ns}, work, 0}; }

TEST(TimeBudget, EachClassIsWhatTheOnesBeforeItLeave) {
  // computation   [0,10)            [30,40)
  // communication      [5,20)
  // copy                    [15,25)                [50,60)
  const std::vector<DeviceSlice> slices{slice(0, 10, WorkClass::kComputation), slice(30, 40, WorkClass::kComputation),
                                        slice(5, 20, WorkClass::kCommunication), slice(15, 25, WorkClass::kCopy),
                                        slice(50, 60, WorkClass::kCopy)};
  const TimeBudget budget = time_budget(slices);
  EXPECT_EQ(budget.window, (Span{0, 60}));
  EXPECT_EQ(budget.computation, (SpanSet{{0, 10}, {30, 40}}));
  EXPECT_EQ(budget.exposed_communication, (SpanSet{{10, 20}}));
  EXPECT_EQ(budget.exposed_copy, (SpanSet{{20, 25}, {50, 60}}));
  EXPECT_EQ(budget.idle, (SpanSet{{25, 30}, {40, 50}}));
  EXPECT_EQ(budget.communication_ns, 15);
  EXPECT_EQ(budget.hidden_communication_ns, 5);
  EXPECT_EQ(budget.copy_ns, 20);
  EXPECT_EQ(budget.slices, (std::array<uint64_t, kWorkClasses>{2, 1, 2}));
}

TEST(TimeBudget, OverlappingSlicesCountOnceInTheUnionAndTwiceInTheSum) {
  const std::vector<DeviceSlice> slices{slice(0, 10, WorkClass::kComputation), slice(2, 12, WorkClass::kComputation)};
  const TimeBudget budget = time_budget(slices);
  EXPECT_EQ(length_ns(budget.computation), 12);
  EXPECT_EQ(budget.slice_sum_ns[0], 20);
}

TEST(TimeBudget, OfNothingIsNothing) {
  const TimeBudget budget = time_budget({});
  EXPECT_EQ(budget.window_ns(), 0);
  EXPECT_TRUE(budget.idle.empty());
}

// A label for each nanosecond of a small trace, by the definition.
std::vector<int> labels(const std::vector<DeviceSlice>& slices, const Span& window) {
  std::vector<int> label(static_cast<size_t>(window.end_ns - window.start_ns), 3);
  for (const DeviceSlice& one : slices) {
    for (int64_t t = one.span.start_ns; t < one.span.end_ns; ++t) {
      int& at = label[static_cast<size_t>(t - window.start_ns)];
      at = std::min(at, static_cast<int>(one.work));
    }
  }
  return label;
}

TEST(TimeBudget, EqualsABruteForceLabelling) {
  std::mt19937 random(11);
  for (int round = 0; round < 3'000; ++round) {
    std::vector<DeviceSlice> slices;
    const auto count = 1 + random() % 12;
    for (size_t i = 0; i < count; ++i) {
      const auto start = static_cast<int64_t>(random() % 60);
      slices.push_back(slice(start - 20, start - 20 + static_cast<int64_t>(random() % 15),
                             static_cast<WorkClass>(random() % kWorkClasses)));
    }
    const TimeBudget budget = time_budget(slices);
    const std::vector<int> expected = labels(slices, budget.window);
    const SpanSet* classes[] = {&budget.computation, &budget.exposed_communication, &budget.exposed_copy, &budget.idle};
    std::vector<int> got(expected.size(), -1);
    int64_t total_ns = 0;
    for (int label = 0; label < 4; ++label) {
      total_ns += length_ns(*classes[label]);
      for (const Span& span : *classes[label]) {
        for (int64_t t = span.start_ns; t < span.end_ns; ++t) {
          int& at = got[static_cast<size_t>(t - budget.window.start_ns)];
          ASSERT_EQ(at, -1) << "two classes at " << t;
          at = label;
        }
      }
    }
    ASSERT_EQ(got, expected) << "round " << round;
    ASSERT_EQ(total_ns, budget.window_ns());
    std::shuffle(slices.begin(), slices.end(), random);
    ASSERT_EQ(time_budget(slices).idle, budget.idle);  // the order of input changes nothing
  }
}

}  // namespace
}  // namespace aaco
