// SPDX-License-Identifier: MIT
#include "kind/sharded/watch/hang.h"

#include <gtest/gtest.h>

#include "kind/sharded/watch/injection.h"

namespace aaco {
namespace {

const std::vector<std::vector<std::string>> kNames{{"all_gather of 8 f32"},
                                                   {"reduce_scatter of 4 f32", "reduce_scatter of 8 f32"}};

WatchedRank rank(int64_t number, int64_t step, ProgressWords gather, ProgressWords reduce) {
  WatchedRank made;
  made.rank = number;
  made.steps_begun = step;
  made.steps_done = step - 1;
  made.communicators = {gather, reduce};
  return made;
}

std::string text_of(const std::vector<WatchedRank>& ranks) { return find_hang(ranks, kNames).text; }

TEST(Hang, ARankThatHasEndedOrDoesNotRunIsNamedFirst) {
  std::vector<WatchedRank> ranks{rank(0, 3, {1, 1}, {1, 0}), rank(1, 3, {1, 1}, {1, 0})};
  ranks[1].silent_ns = 5'000'000'000;
  EXPECT_EQ(text_of(ranks), "rank 1 slow: its process has not run for 5.0 s");
  ranks[1].stopped = true;
  EXPECT_EQ(text_of(ranks), "rank 1 slow: a signal has stopped its process");
  ranks[1].alive = false;
  EXPECT_EQ(text_of(ranks), "rank 1 dead: its process has ended");
  EXPECT_EQ(find_hang(ranks, kNames).kind, HangClass::kDead);
  EXPECT_EQ(find_hang(ranks, kNames).rank, 1);
}

TEST(Hang, OneThatIsPastACollectiveInWhichAnotherWaitsDidNotEnqueueIt) {
  EXPECT_EQ(
      text_of({rank(0, 3, {1, 1}, {1, 0}), rank(1, 3, {1, 1}, {1, 1})}),
      "rank 1 did not enqueue: it is past reduce_scatter of 4 f32 (number 1 on communicator 1) of step 3, in which "
      "rank 0 waits");
  EXPECT_EQ(
      text_of({rank(0, 3, {1, 1}, {2, 1}), rank(1, 4, {1, 0}, {0, 0})}),
      "rank 1 did not enqueue: it is at step 4, past reduce_scatter of 8 f32 (number 2 on communicator 1) of step 3, "
      "in which rank 0 waits");
}

TEST(Hang, OneWhoseHostIsAStepBehindDidNotEnqueue) {
  EXPECT_EQ(text_of({rank(0, 4, {1, 0}, {0, 0}), rank(1, 3, {1, 1}, {2, 2})}),
            "rank 1 did not enqueue: its host is at step 3, that of rank 0 at step 4");
}

HungCollective enqueued(int64_t step, int64_t communicator, int64_t number, int64_t count) {
  HungCollective made;
  made.step = step;
  made.communicator = communicator;
  made.number = number;
  made.operation = "reduce_scatter";
  made.count = count;
  made.type = "f32";
  return made;
}

TEST(Hang, OneThatHasNotComeToACollectiveDidNotEnqueueItOrItsDeviceIsStuckBefore) {
  std::vector<WatchedRank> ranks{rank(0, 3, {1, 1}, {2, 1}), rank(1, 3, {1, 1}, {1, 1})};
  const std::string where = " reduce_scatter of 8 f32 (number 2 on communicator 1) of step 3, in which rank 0 waits";
  EXPECT_EQ(text_of(ranks), "rank 1 did not enqueue: its host has not come to" + where);
  ranks[1].collectives = {enqueued(2, 1, 2, 8), enqueued(3, 1, 1, 4)};  // of the step before; the one before
  EXPECT_EQ(find_hang(ranks, kNames).kind, HangClass::kDidNotEnqueue);
  ranks[1].collectives.push_back(enqueued(3, 1, 2, 8));
  EXPECT_EQ(text_of(ranks), "rank 1 stuck in the kernel: its device does not come to" + where);
  ranks[1].collectives = {enqueued(3, 1, 3, 8)};  // what came before is not known any more
  EXPECT_EQ(find_hang(ranks, {kNames[0], {kNames[1][0], kNames[1][1], kNames[1][1]}}).kind, HangClass::kStuck);
  ranks[1].collectives.clear();
  ranks[1].steps_enqueued = 2;
  EXPECT_EQ(find_hang(ranks, kNames).kind, HangClass::kDidNotEnqueue);
  ranks[1].steps_enqueued = 3;
  EXPECT_EQ(find_hang(ranks, kNames).kind, HangClass::kStuck);
}

TEST(Hang, WhereAllAreInOneItIsStuck) {
  const Hang hang = find_hang({rank(0, 3, {1, 1}, {2, 1}), rank(1, 3, {1, 1}, {2, 1})}, kNames);
  EXPECT_EQ(hang.kind, HangClass::kStuck);
  EXPECT_EQ(hang.text,
            "rank 0 stuck in the kernel: all ranks are in reduce_scatter of 8 f32 (number 2 on communicator 1) of step "
            "3, and none comes out");
}

TEST(Hang, OneThatHasNotDoneItsStepIsNamedWhereNoneWaits) {
  std::vector<WatchedRank> ranks{rank(0, 3, {1, 1}, {2, 2}), rank(1, 3, {1, 1}, {2, 2})};
  EXPECT_EQ(text_of(ranks),
            "rank 0 slow: step 3 does not end, nor does its host come to its end, and no rank waits in a collective");
  ranks[0].steps_done = 3;
  ranks[1].steps_enqueued = 3;
  EXPECT_EQ(text_of(ranks),
            "rank 1 stuck in the kernel: step 3 does not end, of which all is enqueued, and no rank waits in a "
            "collective");
}

TEST(Hang, ASetUpIsWaitedForWhileItsProcessRuns) {
  std::vector<WatchedRank> ranks{rank(0, 1, {1, 0}, {0, 0}), rank(1, 0, {0, 0}, {0, 0})};
  EXPECT_FALSE(wait_for_set_up(ranks));
  ranks[1].sets_up = true;
  EXPECT_TRUE(wait_for_set_up(ranks));
  EXPECT_EQ(text_of(ranks), "rank 1 slow: its set-up does not end: it has begun no step");
  ranks[1].stopped = true;
  EXPECT_FALSE(wait_for_set_up(ranks));
  ranks[1].stopped = false;
  ranks[0].alive = false;
  EXPECT_FALSE(wait_for_set_up(ranks));
}

TEST(Hang, OneThatEnqueuesItsFirstStepIsHeldUpByWhatThatSays) {
  std::vector<WatchedRank> ranks{rank(0, 1, {1, 1}, {2, 1}), rank(1, 1, {1, 1}, {2, 2})};
  ranks[0].sets_up = true;  // its queue of launches is full
  EXPECT_EQ(text_of(ranks).substr(0, 34), "rank 1 did not enqueue: it is past");
}

TEST(Hang, ACollectiveThatIsNotTheProgramsIsAMismatch) {
  std::vector<WatchedRank> ranks{rank(0, 3, {1, 1}, {2, 1}), rank(1, 3, {1, 1}, {2, 1})};
  ranks[0].collectives = {enqueued(3, 1, 1, 4), enqueued(3, 1, 2, 8)};
  ranks[1].collectives = {enqueued(3, 1, 1, 4), enqueued(3, 1, 2, 4)};
  EXPECT_EQ(
      text_of(ranks),
      "rank 1 mismatch: it enqueued reduce_scatter of 4 f32 where step 3 has reduce_scatter of 8 f32 (number 2 on "
      "communicator 1)");
  ranks[1].collectives.back().count = 8;
  EXPECT_FALSE(find_mismatch(ranks, kNames));
}

TEST(Hang, OfATeardownTheOneThatIsFurthestBehindIsNamed) {
  std::vector<WatchedRank> ranks{rank(0, 3, {1, 1}, {2, 2}), rank(1, 3, {1, 1}, {2, 2})};
  for (WatchedRank& each : ranks) {
    each.steps_done = 3;
  }
  ranks[0].teardown = TeardownStage::kEnded;
  ranks[0].alive = false;
  ranks[1].teardown = TeardownStage::kBegun;
  EXPECT_EQ(text_of(ranks), "rank 1 slow: its teardown behind step 3 does not end: streams and memory are not freed");
  ranks[0].teardown = TeardownStage::kBegun;
  EXPECT_EQ(text_of(ranks), "rank 0 dead: its process has ended in its teardown");
  ranks[0].alive = true;
  ranks[1].teardown = TeardownStage::kTrainingFreed;
  EXPECT_EQ(find_hang(ranks, kNames).rank, 0);
}

// Of four ranks in two groups: communicator 0 joins 0 and 1, 2 and 3; communicator 1 joins 0 and 2, 1 and 3.
TEST(Hang, OfGroupsTheOneForWhichOthersWaitInTurnIsNamed) {
  const std::vector<std::vector<int64_t>> groups{{0, 0, 2, 2}, {0, 1, 0, 1}};
  // Rank 3 has not come to what 2 waits in; 0 waits for 2, and 1 for 3.
  const Hang slow = find_hang(
      {rank(0, 3, {4, 4}, {2, 1}), rank(1, 3, {4, 4}, {2, 1}), rank(2, 3, {2, 1}, {1, 1}), rank(3, 3, {1, 1}, {1, 1})},
      kNames, groups);
  EXPECT_EQ(slow.rank, 3);
  EXPECT_EQ(slow.kind, HangClass::kDidNotEnqueue);
  // Rank 3 is past it, and a step ahead.
  const Hang past = find_hang(
      {rank(0, 3, {4, 4}, {2, 1}), rank(1, 3, {4, 4}, {2, 1}), rank(2, 3, {2, 1}, {1, 1}), rank(3, 4, {0, 0}, {0, 0})},
      kNames, groups);
  EXPECT_EQ(past.rank, 3);
  EXPECT_EQ(past.kind, HangClass::kDidNotEnqueue);
  // Without groups 2 would seem to be behind 0.
  EXPECT_NE(find_hang({rank(0, 3, {4, 3}, {1, 1}), rank(1, 3, {3, 3}, {1, 1}), rank(2, 3, {2, 2}, {1, 1}),
                       rank(3, 3, {2, 2}, {1, 1})},
                      kNames, groups)
                .rank,
            2);
}

TEST(Injection, IsReadAsItIsWritten) {
  const auto injection = parse_injection("skip:1:20");
  ASSERT_TRUE(injection);
  EXPECT_EQ(injection->kind, "skip");
  EXPECT_EQ(injection->rank, 1);
  EXPECT_EQ(injection->step, 20);
  EXPECT_EQ(parse_injection("teardown:2")->rank, 2);
  for (const char* wrong : {"", "skip", "skip:1", "skip:1:0", "skip:-1:2", "skip:1:2x", "burn:1:2", "skip:1:2:3",
                            "teardown:1:3", "teardown", "teardown:"}) {
    EXPECT_EQ(parse_injection(wrong).error().kind, ErrorKind::kUsage) << wrong;
  }
}

}  // namespace
}  // namespace aaco
