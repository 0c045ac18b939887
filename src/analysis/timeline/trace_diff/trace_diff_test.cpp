// SPDX-License-Identifier: MIT
#include "analysis/timeline/trace_diff/trace_diff.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/timeline/test_trace.h"

namespace aaco {
namespace {

TEST(ChangeTerms, CountAndTimeAddUp) {
  const ChangeTerms terms = change_terms({2, 20}, {3, 45});  // 1 x 12.5 and 5 x 2.5
  EXPECT_EQ(terms.count_ns, 13);
  EXPECT_EQ(terms.time_ns, 12);
  EXPECT_EQ(change_terms({4, 40}, {6, 60}).time_ns, 0);
  EXPECT_EQ(change_terms({4, 40}, {4, 48}).count_ns, 0);
  EXPECT_EQ(change_terms({0, 0}, {3, 45}).count_ns, 45);
  EXPECT_EQ(change_terms({3, 45}, {0, 0}).count_ns, -45);
}

TEST(ChangeTerms, AreExactAndAntisymmetricForAnySides) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20'000; ++round) {
    const int bits = 1 + static_cast<int>(random() % 62);
    const auto side = [&] {
      return DiffSide{1 + random() % (1 + (random() >> 34)), static_cast<int64_t>(random() >> (64 - bits))};
    };
    const DiffSide before = side();
    const DiffSide after = side();
    const ChangeTerms there = change_terms(before, after);
    const ChangeTerms back = change_terms(after, before);
    ASSERT_EQ(there.count_ns + there.time_ns, after.total_ns - before.total_ns);
    ASSERT_EQ(there.count_ns, -back.count_ns);
    ASSERT_EQ(there.time_ns, -back.time_ns);
    const auto n0 = static_cast<long double>(before.count);
    const auto n = static_cast<long double>(after.count);
    const long double count =
        (n - n0) * (static_cast<long double>(before.total_ns) / n0 + static_cast<long double>(after.total_ns) / n) / 2;
    if (std::abs(count) < 4e18L) {
      ASSERT_LE(std::abs(static_cast<long double>(there.count_ns) - count), 0.5001L + std::abs(count) * 1e-15L);
    }
  }
}

class TwoTraces : public testing::Test {
 protected:
  struct One : TestTrace {
    uint32_t host = thread(0);
    uint32_t device = stream(0, 0, 7);
    int64_t correlation = 0;

    void op(const char* name, int64_t start_ns, int64_t end_ns, const char* shapes = "") {
      std::vector<Argument> arguments;
      if (*shapes != '\0') {
        arguments.push_back(text("Input Dims", shapes));
      }
      add(host, EventKind::kHostOp, name, start_ns, end_ns - start_ns, kNoId, arguments);
    }
    void launch(int64_t at_ns, const char* kernel, int64_t duration_ns) {
      ++correlation;
      add(host, EventKind::kHostCall, "launch", at_ns, 1, correlation);
      add(device, EventKind::kKernel, kernel, 1'000 * correlation, duration_ns, correlation);
    }
  };

  // Kernel, operators, shapes: changes by count and by time.
  using Changes = std::map<std::tuple<std::string, std::string, std::string>, std::pair<int64_t, int64_t>>;
  static Changes changes(const TraceDiff& diff, const std::vector<DiffRow>& rows) {
    Changes all;
    for (const DiffRow& row : rows) {
      all[{std::string(diff.strings[row.kernel]), path_text(diff.paths, row.path, diff.strings, 9),
           std::string(diff.strings[row.shapes])}] = {row.terms.count_ns, row.terms.time_ns};
    }
    EXPECT_EQ(all.size(), rows.size()) << "one row for each cause";
    return all;
  }

  One before_;
  One after_;
};

TEST_F(TwoTraces, AreMatchedByNameShapesAndOperatorsAround) {
  for (One* side : {&before_, &after_}) {
    const bool after = side == &after_;
    side->op("linear", 0, 100);
    side->op("addmm", 10, 90, "[[4, 4]]");
    side->launch(20, "gemm", after ? 30 : 10);
    side->op("addmm", 200, 300, "[[4, 4]]");  // within no other
    side->launch(210, "gemm", 7);
    if (after) {
      side->launch(220, "gemm", 7);
    }
    side->op("addmm", 400, 500, after ? "[[8, 8]]" : "[[2, 2]]");
    side->launch(410, "gemm", after ? 5 : 4);
    side->launch(600, "memset", 3);
  }
  const TraceDiff diff = diff_traces(before_.table, after_.table);
  EXPECT_TRUE(diff.by_paths);
  EXPECT_TRUE(diff.by_shapes);
  EXPECT_EQ(changes(diff, diff.kernels), (Changes{{{"gemm", "linear > addmm", "[[4, 4]]"}, {0, 20}},
                                                  {{"gemm", "addmm", "[[4, 4]]"}, {7, 0}},
                                                  {{"gemm", "addmm", "[[2, 2]]"}, {-4, 0}},
                                                  {{"gemm", "addmm", "[[8, 8]]"}, {5, 0}},
                                                  {{"memset", "", ""}, {0, 0}}}));
  // One call of addmm launched one kernel more: a call that takes longer.
  EXPECT_EQ(changes(diff, diff.operators), (Changes{{{"", "linear > addmm", "[[4, 4]]"}, {0, 20}},
                                                    {{"", "addmm", "[[4, 4]]"}, {0, 7}},
                                                    {{"", "addmm", "[[2, 2]]"}, {-4, 0}},
                                                    {{"", "addmm", "[[8, 8]]"}, {5, 0}},
                                                    {{"", "", ""}, {0, 0}}}));
  EXPECT_EQ(diff.kernels.front().change_ns(), 20) << "the largest change first";
}

TEST_F(TwoTraces, WithoutOperatorsOnOneSideAreMatchedByNameAlone) {
  before_.op("addmm", 0, 100, "[[4]]");
  before_.launch(10, "gemm", 10);
  after_.launch(10, "gemm", 25);
  const TraceDiff diff = diff_traces(before_.table, after_.table);
  EXPECT_FALSE(diff.by_paths);
  EXPECT_EQ(changes(diff, diff.kernels), (Changes{{{"gemm", "", ""}, {0, 15}}}));
  EXPECT_EQ(diff.operators.size(), 1U);
}

// One short kernel less makes the mean of all longer, and yet no kernel became slower.
TEST_F(TwoTraces, TheRowWithoutAnOperatorAddsUpItsKernels) {
  for (One* side : {&before_, &after_}) {
    side->launch(10, "copy", 1'000);
    side->launch(20, "add", 4);
  }
  before_.launch(30, "add", 4);
  const TraceDiff diff = diff_traces(before_.table, after_.table);
  EXPECT_EQ(changes(diff, diff.operators), (Changes{{{"", "", ""}, {-4, 0}}}));
}

TEST_F(TwoTraces, WithoutShapesOnOneSideAreMatchedWithoutThem) {
  before_.op("addmm", 0, 100, "[[4]]");
  before_.launch(10, "gemm", 10);
  after_.op("addmm", 0, 100);
  after_.launch(10, "gemm", 25);
  const TraceDiff diff = diff_traces(before_.table, after_.table);
  EXPECT_FALSE(diff.by_shapes);
  EXPECT_EQ(changes(diff, diff.kernels), (Changes{{{"gemm", "addmm", ""}, {0, 15}}}));
}

TEST_F(TwoTraces, SayWhatWasLostInReadingAndInJoining) {
  before_.table.losses.add(Loss::kNoTime, 2);
  before_.launch(10, "gemm", 10);
  after_.launch(10, "gemm", 25);
  after_.add(after_.device, EventKind::kKernel, "gemm", 1'010, 5, 99);  // within the other, and launched by nothing
  const TraceDiff diff = diff_traces(before_.table, after_.table);
  EXPECT_EQ(diff.losses_before.entries().size(), 1U);
  EXPECT_EQ(diff.losses_before.count(Loss::kNoTime), 2U);
  EXPECT_EQ(diff.losses_after.entries().size(), 2U);
  EXPECT_EQ(diff.losses_after.count(Loss::kNoLaunch), 1U);
  EXPECT_EQ(diff.losses_after.count(Loss::kOverlap), 1U);
}

TEST_F(TwoTraces, TheNumberOfAStepIsNoPartOfAName) {
  before_.op("ProfilerStep#2", 0, 100);
  before_.launch(10, "gemm", 10);
  after_.op("ProfilerStep#17", 0, 100);
  after_.launch(10, "gemm", 25);
  const TraceDiff diff = diff_traces(before_.table, after_.table);
  EXPECT_EQ(changes(diff, diff.kernels), (Changes{{{"gemm", "ProfilerStep", ""}, {0, 15}}}));
}

class RandomTraces : public TwoTraces {
 protected:
  static void fill(One& side, std::mt19937& random) {
    static constexpr const char* kNames[] = {"a", "b", "c"};
    static constexpr const char* kShapes[] = {"", "[[1]]", "[[2]]"};
    const int count = static_cast<int>(random() % 30);
    for (int i = 0; i < count; ++i) {
      const int64_t start_ns = random() % 100;
      if (random() % 2 == 0) {
        side.op(kNames[random() % 3], start_ns, start_ns + 1 + random() % 30, kShapes[random() % 3]);
      } else {
        side.launch(start_ns, kNames[random() % 3], random() % 50);
      }
    }
  }
};

TEST_F(RandomTraces, CausesAddUpAndTurnRound) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    One before;
    One after;
    fill(before, random);
    fill(after, random);
    const TraceDiff there = diff_traces(before.table, after.table);
    const TraceDiff back = diff_traces(after.table, before.table);
    int64_t change_ns = 0;
    for (const auto& [table, sign] : {std::pair(&before.table, -1), std::pair(&after.table, 1)}) {
      for (size_t i = 0; i < table->size(); ++i) {
        change_ns += is_on_device(table->kind[i]) ? sign * table->duration_ns[i] : 0;
      }
    }
    for (const auto list : {&TraceDiff::kernels, &TraceDiff::operators}) {
      const ChangeTerms sum = sum_of_terms(there.*list);
      ASSERT_EQ(sum.count_ns + sum.time_ns, change_ns) << "round " << round;
      Changes negated;
      for (const auto& [key, terms] : changes(back, back.*list)) {
        negated[key] = {-terms.first, -terms.second};
      }
      ASSERT_EQ(changes(there, there.*list), negated) << "round " << round;
    }
    const TraceDiff same = diff_traces(before.table, before.table);
    for (const auto list : {&TraceDiff::kernels, &TraceDiff::operators}) {
      for (const DiffRow& row : same.*list) {
        ASSERT_EQ(std::tuple(row.terms.count_ns, row.terms.time_ns, row.before.count, row.before.total_ns),
                  std::tuple(0, 0, row.after.count, row.after.total_ns));
      }
    }
  }
}

}  // namespace
}  // namespace aaco
