// SPDX-License-Identifier: MIT
#include "kind/sharded/copied_gathers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kind/sharded/collective_paths.h"

namespace aaco {
namespace {

using testing::HasSubstr;

constexpr int64_t kGatherStream = 1;
constexpr int64_t kSmall = 1000;
constexpr int64_t kLarge = 4000;

RankEvent copy(int64_t start_ns, int64_t bytes, int64_t stream = kGatherStream) {
  RankEvent row;
  row.event.start_ns = start_ns;
  row.event.duration_ns = 10;
  row.event.kind = EventKind::kCopy;
  row.stream = stream;
  row.bytes = bytes;
  return row;
}

// Two gathers a step, of different sizes, and a reduction between them.
RankRecords two_gathers(int64_t steps) {
  RankRecords of;
  of.steps = steps;
  of.collectives = {{"all_gather", "communicator 0", {0, 1}, "Float", kGatherStream, kSmall, 250, 500},
                    {"reduce_scatter", "communicator 1", {0, 1}, "Float", 2, kLarge, 2000, 1000},
                    {"all_gather", "communicator 0", {0, 1}, "Float", kGatherStream, kLarge, 1000, 2000}};
  return of;
}

// A flag to the peer, a copy to each rank, a flag to the peer.
void add_gather(std::vector<RankEvent>& rows, int64_t start_ns, int64_t bytes) {
  for (const RankEvent& row :
       {copy(start_ns, 4), copy(start_ns + 20, bytes), copy(start_ns + 25, bytes), copy(start_ns + 40, 4)}) {
    rows.push_back(row);
  }
}

TEST(CopiedGathers, BecomeOneRowEach) {
  RankRecords of = two_gathers(2);
  StringTable texts;
  std::vector<RankEvent> rows;
  for (const int64_t step : {0, 1000}) {
    add_gather(rows, step + 100, kSmall);
    rows.push_back(copy(step + 150, kSmall, 0));  // a copy of the step's own
    add_gather(rows, step + 200, kLarge);
  }
  ASSERT_TRUE(merge_copied_gathers(rows, texts, of, true));
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0].event.start_ns, 100);
  EXPECT_EQ(rows[0].event.duration_ns, 50);
  EXPECT_EQ(rows[0].collective, 0);
  EXPECT_EQ(texts[rows[0].event.name], "nccl AllGather by copy engines");
  EXPECT_EQ(rows[1].collective, -1);
  EXPECT_EQ(rows[1].stream, 0);
  EXPECT_EQ(rows[2].event.start_ns, 200);
  EXPECT_EQ(rows[2].collective, 2);
  EXPECT_EQ(rows[5].event.start_ns, 1200);
  EXPECT_EQ(rows[5].collective, 2);
}

TEST(CopiedGathers, AreFoundOnOneStreamAndInPlace) {
  RankRecords of = two_gathers(1);
  StringTable texts;
  std::vector<RankEvent> rows = {copy(10, kSmall, 0), copy(20, 777, 0), copy(30, kLarge, 0)};
  ASSERT_TRUE(merge_copied_gathers(rows, texts, of, false));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].collective, 0);
  EXPECT_EQ(rows[1].collective, -1);
  EXPECT_EQ(rows[2].collective, 2);
}

// The groups that shards are replicated between have a copy each of what is gathered.
TEST(CopiedGathers, AreThoseOfAShardGroup) {
  RankRecords of = two_gathers(1);
  of.rank = 3;
  for (RecordedCollective& collective : of.collectives) {
    collective.members = {2, 3};
  }
  StringTable texts;
  std::vector<RankEvent> rows = {copy(10, kSmall), copy(15, kSmall), copy(30, kLarge), copy(35, kLarge)};
  ASSERT_TRUE(merge_copied_gathers(rows, texts, of, true));
  EXPECT_EQ(rows.size(), 2U);
  of = two_gathers(1);
  for (RecordedCollective& collective : of.collectives) {
    collective.members = {0, 1, 2, 3};
  }
  rows = {copy(10, kSmall), copy(15, kSmall), copy(30, kLarge), copy(35, kLarge)};
  EXPECT_FALSE(merge_copied_gathers(rows, texts, of, true));
}

TEST(CopiedGathers, ThatAreNotThereAreSaid) {
  for (const std::vector<RankEvent>& recorded :
       {std::vector<RankEvent>(), std::vector<RankEvent>{copy(1, kSmall), copy(2, kSmall)},
        std::vector<RankEvent>{copy(1, kLarge), copy(2, kSmall)}, std::vector<RankEvent>(12, copy(1, kSmall))}) {
    RankRecords of = two_gathers(1);
    StringTable texts;
    std::vector<RankEvent> rows = recorded;
    const auto merged = merge_copied_gathers(rows, texts, of, true);
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().kind, ErrorKind::kInvalid);
    EXPECT_THAT(merged.error().message, HasSubstr("no kernel of 2 gathers"));
  }
}

TEST(CollectivePaths, AreAddedUpAndComparedWithWhatWasAsked) {
  using sharded::CollectivePath;
  std::vector<RankRecords> ranks(2);
  ranks[0].paths = {{"all_gather", "copy_engine", 10}, {"reduce_scatter", "symmetric", 5}};
  ranks[1].paths = {{"all_gather", "copy_engine", 8}, {"all_gather", "kernel", 2}, {"reduce_scatter", "symmetric", 5}};
  const auto all = all_paths(ranks);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].count, 18);
  EXPECT_EQ(paths_missed(CollectivePath::kCopyEngine, all), "2 all_gather by kernel");
  EXPECT_EQ(paths_missed(CollectivePath::kCopyEngine, all_paths(std::span(ranks).first(1))), "");
  EXPECT_EQ(paths_missed(CollectivePath::kSymmetric, all), "18 all_gather by copy_engine, 2 all_gather by kernel");
  EXPECT_EQ(paths_missed(CollectivePath::kKernel, {}), "");
  EXPECT_EQ(paths_missed(CollectivePath::kCopyEngine, std::vector<CollectivePathTaken>{{"all_reduce", "kernel", 1}}),
            "nothing is gathered, which is all that they do");
}

}  // namespace
}  // namespace aaco
