// SPDX-License-Identifier: MIT
// Patterns of copies and of communication.
#include <gtest/gtest.h>

#include "analysis/timeline/advice/test_findings.h"

namespace aaco {
namespace {

LaunchingTrace copied(std::string_view copy, int64_t bytes) {
  LaunchingTrace trace;
  trace.launch(0, 1, "k", 0, 1'000'000);
  trace.add(trace.device, EventKind::kCopy, copy, 1'000'000, 200'000, kNoId, {trace.integer("bytes", bytes)});
  return trace;
}

TEST(PageableCopies, ThoseThatNothingHides) {
  const TraceSummary summary = summarise_trace(copied("Memcpy HtoD (Pageable -> Device)", 1'000'000).table);
  const TraceFinding* const finding = finding_named(summary, "pageable-copies");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cost_ns, 200'000);
  EXPECT_NE(finding->evidence.find("5.00 GB/s"), std::string::npos) << finding->evidence;
  EXPECT_FALSE(has_offender(summary, "exposed copies"));
}

TEST(PageableCopies, NotPinnedNorSmallNorUnsaid) {
  for (const auto& [copy, bytes] :
       {std::pair("Memcpy HtoD (Pinned -> Device)", 1'000'000), std::pair("Memcpy DtoH (Device -> Pageable)", 8),
        std::pair("Memcpy HtoD (Host -> Device)", 1'000'000)}) {
    EXPECT_EQ(finding_named(summarise_trace(copied(copy, bytes).table), "pageable-copies"), nullptr) << copy;
  }
}

void add_collective(TestTrace& trace, uint32_t stream, int64_t elements, int64_t start_ns, int64_t length_ns,
                    int64_t group_size = 2) {
  trace.add(stream, EventKind::kKernel, "ncclK", start_ns, length_ns, kNoId,
            {trace.text("Collective name", "allreduce"), trace.text("dtype", "Float"),
             trace.integer("In msg nelems", elements), trace.integer("Out msg nelems", elements),
             trace.integer("Group size", group_size), trace.text("Process Group Name", "0")});
}

// 20 of 4 kB and 10 us each; one of 4 MB in 40 us, 100 bytes a nanosecond: 80 kB at that rate are 0.8 us.
TEST(SmallCollectives, ManyThatMoveLittle) {
  TestTrace trace;
  const uint32_t stream = trace.stream(0, 0, 7);
  for (int64_t i = 0; i < 20; ++i) {
    add_collective(trace, stream, 1'000, 10'000 * i, 10'000);
  }
  add_collective(trace, stream, 1'000'000, 300'000, 40'000);
  const TraceSummary summary = summarise_trace(trace.table);
  const TraceFinding* const finding = finding_named(summary, "small-collectives");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cost_ns, 200'000);
  EXPECT_DOUBLE_EQ(finding->saves_ns, 199'200);
}

// Together they take at least as long as one.
TEST(SmallCollectives, WithoutALargerOneToCompareWith) {
  TestTrace trace;
  const uint32_t stream = trace.stream(0, 0, 7);
  for (int64_t i = 0; i < 20; ++i) {
    add_collective(trace, stream, 1'000, 10'000 * i, 10'000);
  }
  const TraceSummary summary = summarise_trace(trace.table);
  const TraceFinding* const finding = finding_named(summary, "small-collectives");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->saves_ns, 190'000);
}

TEST(SmallCollectives, NotFewNorThoseThatWait) {
  for (const auto& [count, length_ns] : {std::pair(19, 10'000), std::pair(30, 300'000)}) {
    TestTrace trace;
    const uint32_t stream = trace.stream(0, 0, 7);
    for (int64_t i = 0; i < count; ++i) {
      add_collective(trace, stream, 1'000, length_ns * i, length_ns);
    }
    EXPECT_EQ(finding_named(summarise_trace(trace.table), "small-collectives"), nullptr) << count;
  }
}

// `late` of `all` times rank 1 begins 100 us after rank 0, else 100 us before; both end together. Sizes tell which are
// the same.
TestTrace two_ranks(int late, int all, int64_t group_size = 2) {
  TestTrace trace;
  const uint32_t streams[] = {trace.stream(0, 0, 7), trace.stream(1, 0, 7)};
  for (int i = 0; i < all; ++i) {
    const int64_t at_ns = int64_t{1'000'000} * i;
    const int last = i < late ? 1 : 0;
    add_collective(trace, streams[1 - last], 1'000'000 + i, at_ns, 300'000, group_size);
    add_collective(trace, streams[last], 1'000'000 + i, at_ns + 100'000, 200'000, group_size);
  }
  return trace;
}

TEST(LateRanks, MoreOftenThanChance) {
  const TraceSummary summary = summarise_trace(two_ranks(10, 10).table);
  const TraceFinding* const finding = finding_named(summary, "late-rank");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->subject, "waiting for rank 1");
  EXPECT_EQ(finding->rank, 1);
  EXPECT_EQ(finding->cost_ns, 1'000'000);
  EXPECT_TRUE(has_offender(summary, "waiting for rank 1"));
}

TEST(LateRanks, NotOfAPartOfTheRanks) {
  EXPECT_EQ(finding_named(summarise_trace(two_ranks(10, 10, 4).table), "late-rank"), nullptr);
}

// One of two is last in 9 or more of 10 with 2 * 11 / 1024 = 0.021; in all of 4 with 2 / 16.
TEST(LateRanks, NotWhatChanceMayDo) {
  EXPECT_EQ(finding_named(summarise_trace(two_ranks(9, 10).table), "late-rank"), nullptr);
  EXPECT_EQ(finding_named(summarise_trace(two_ranks(4, 4).table), "late-rank"), nullptr);  // too few to tell
}

}  // namespace
}  // namespace aaco
