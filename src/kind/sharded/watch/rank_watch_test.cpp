// SPDX-License-Identifier: MIT
#include "kind/sharded/watch/rank_watch.h"

#include <array>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files/temporary_folder.h"
#include "kind/sharded/watch/hang_report.h"

namespace aaco {
namespace {

constexpr int64_t kLongNs = 60'000'000'000;

// A rank whose device is this test.
class WatchedAlone {
 public:
  explicit WatchedAlone(int64_t limit_ns, int64_t ranks = 1, int64_t set_up_limit_ns = kLongNs) {
    WatchOptions options;
    options.folder = folder->path();
    options.ranks = ranks;
    options.local_ranks = ranks;
    options.limit_ns = limit_ns;
    options.set_up_limit_ns = set_up_limit_ns;
    options.collectives = {{Collective::kAllGather, {}, 8, Dtype::kBf16, 0},
                           {Collective::kReduceScatter, {}, 4, Dtype::kF32, 1},
                           {Collective::kAllGather, {}, 16, Dtype::kBf16, 0}};
    options.progress = words.data();
    options.on_hang = [this](const Hang& hang) {
      told = hang.text;
      is_told = true;
    };
    watch = std::move(RankWatch::start(std::move(options))).value();
  }

  std::vector<HungCollective> collectives() const {
    return collectives_in(*MappedRecord(watch_record_path(folder->path(), 0), false).get());
  }
  static void wait_until(const std::function<bool()>& holds) {
    for (const int64_t until = monotonic_ns() + kLongNs; !holds() && monotonic_ns() < until;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  Result<TemporaryFolder> folder = TemporaryFolder::create();
  std::array<ProgressWords, 2> words{};
  std::atomic<bool> is_told = false;
  std::string told;
  std::unique_ptr<RankWatch> watch;
};

TEST(RankWatch, KeepsWhenEachCollectiveWasEnqueuedSeenToStartAndDone) {
  WatchedAlone rank(kLongNs);
  const int64_t before_ns = monotonic_ns();
  rank.watch->begin_step(7);
  rank.watch->enqueued(0, Collective::kAllGather, 8, Dtype::kBf16);
  rank.watch->enqueued(1, Collective::kReduceScatter, 4, Dtype::kF32);
  rank.watch->enqueued(0, Collective::kAllGather, 16, Dtype::kBf16);
  rank.words[0] = {2, 1};
  WatchedAlone::wait_until([&] { return rank.collectives().at(2).started_ns.has_value(); });
  std::vector<HungCollective> seen = rank.collectives();
  ASSERT_EQ(seen.size(), 3U);
  const HungCollective& first = seen[0];
  EXPECT_EQ(first.sequence, 1);
  EXPECT_EQ(first.step, 7);
  EXPECT_EQ(first.text(), "all_gather of 8 bf16");
  EXPECT_EQ(first.bytes, 16);
  EXPECT_GE(*first.enqueued_ns, before_ns);
  EXPECT_GE(*first.started_ns, *first.enqueued_ns);
  EXPECT_GE(*first.done_ns, *first.started_ns);
  EXPECT_EQ(seen[1].communicator, 1);
  EXPECT_EQ(seen[1].number, 1);
  EXPECT_FALSE(seen[1].started_ns);  // of its communicator none began
  EXPECT_EQ(seen[2].number, 2);
  EXPECT_FALSE(seen[2].done_ns);
  rank.watch->end_step(7);
  seen = rank.collectives();
  EXPECT_TRUE(seen[1].started_ns && seen[1].done_ns && seen[2].done_ns);
  EXPECT_FALSE(rank.is_told);
}

TEST(RankWatch, KeepsTheLastOnesAndNoneOfTheStepBefore) {
  WatchedAlone rank(kLongNs);
  constexpr int64_t kSteps = 100;
  for (int64_t step = 1; step <= kSteps; ++step) {
    rank.watch->begin_step(step);
    rank.watch->launched_whole_step();
    if (step < kSteps) {
      rank.watch->end_step(step);
    }
  }
  const std::vector<HungCollective> seen = rank.collectives();
  ASSERT_EQ(seen.size(), kRingSlots);
  for (size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].sequence, 3 * kSteps - static_cast<int64_t>(kRingSlots) + 1 + static_cast<int64_t>(i));
    EXPECT_EQ(seen[i].step, (seen[i].sequence + 2) / 3);
    EXPECT_EQ(seen[i].done_ns.has_value(), seen[i].step < kSteps);
  }
}

TEST(RankWatch, ARankThatHasDoneItsStepWaitsInNoCollective) {
  const auto record = std::make_unique<WatchRecord>();
  record->steps_begun = 3;
  record->steps_done = 2;
  record->begun[0] = 2;
  record->done[0] = 1;
  EXPECT_EQ(watched_rank(0, record.get(), 'R', 2).communicators[0].done, 1);
  record->steps_done = 3;
  for (const ProgressWords& words : watched_rank(0, record.get(), 'R', 2).communicators) {
    EXPECT_EQ(words.begun, INT32_MAX);
    EXPECT_EQ(words.done, INT32_MAX);
  }
}

TEST(RankWatch, TellsWhatItFindsAndLeavesIt) {
  WatchedAlone rank(500'000'000);
  EXPECT_FALSE(hang_report(rank.folder->path(), 1, 0.5, {{ErrorKind::kResource, "disk full", ""}, {}}));
  rank.watch->begin_step(1);
  rank.watch->launched_whole_step();
  rank.words[1] = {1, 0};
  WatchedAlone::wait_until([&] { return rank.is_told.load(); });
  const std::string expected =
      "rank 0 stuck in the kernel: all ranks are in reduce_scatter of 4 fp32 (number 1 on communicator 1) of step 1, "
      "and none comes out";
  EXPECT_EQ(rank.told, expected);
  const auto report = hang_report(rank.folder->path(), 1, 0.5, {{ErrorKind::kResource, "what came behind", ""}, {}});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->text, expected);
  EXPECT_EQ(report->kind, "stuck in the kernel");
  ASSERT_EQ(report->ranks.size(), 1U);
  EXPECT_EQ(report->ranks[0].collectives.size(), 3U);
  EXPECT_FALSE(report->ranks[0].stack.empty());
  EXPECT_EQ(report->ranks[0].no_stack, "");
}

// Rank 0's device waits in its first collective, and rank 1 has not begun.
class WaitsForSetUp : public ::testing::Test {
 protected:
  static constexpr int64_t kLimitNs = 300'000'000;
  static constexpr auto kThreeLimits = std::chrono::nanoseconds(3 * kLimitNs);

  static void begin(WatchedAlone& rank) {
    rank.watch->begin_step(1);
    rank.watch->launched_whole_step();
    rank.words[0] = {1, 0};
  }
  static MappedRecord other_of(const WatchedAlone& rank) {
    MappedRecord other(watch_record_path(rank.folder->path(), 1), true);
    other.get()->pid = ::getpid();
    other.get()->heartbeat_ns = monotonic_ns() + kLongNs;  // it is not silent
    return other;
  }
};

TEST_F(WaitsForSetUp, WhichIsNoStepWithoutProgress) {
  WatchedAlone rank(kLimitNs, 2);
  begin(rank);
  std::this_thread::sleep_for(kThreeLimits);  // it has no record yet
  const MappedRecord other = other_of(rank);
  std::this_thread::sleep_for(kThreeLimits);
  EXPECT_FALSE(rank.is_told) << rank.told;
  other.get()->steps_begun = 1;
  std::this_thread::sleep_for(kThreeLimits);  // its host loads kernels while it enqueues
  EXPECT_FALSE(rank.is_told) << rank.told;
  const int64_t done_ns = monotonic_ns();
  other.get()->steps_enqueued = 1;
  WatchedAlone::wait_until([&] { return rank.is_told.load(); });
  EXPECT_GE(monotonic_ns() - done_ns, kLimitNs);
  EXPECT_EQ(rank.told,
            "rank 1 stuck in the kernel: its device does not come to all_gather of 8 bf16 (number 1 on communicator 0) "
            "of step 1, in which rank 0 waits");
}

TEST_F(WaitsForSetUp, ButNotForEver) {
  WatchedAlone rank(kLimitNs, 2, 3 * kLimitNs);
  const int64_t begun_ns = monotonic_ns();
  begin(rank);
  const MappedRecord other = other_of(rank);
  WatchedAlone::wait_until([&] { return rank.is_told.load(); });
  EXPECT_GE(monotonic_ns() - begun_ns, 2 * kLimitNs);
  EXPECT_EQ(rank.told, "rank 1 slow: its set-up does not end: it has begun no step");
}

TEST_F(WaitsForSetUp, OfItsOwnToo) {
  WatchedAlone rank(kLimitNs, 1, 2 * kLimitNs);
  WatchedAlone::wait_until([&] { return rank.is_told.load(); });
  EXPECT_EQ(rank.told, "rank 0 slow: its set-up does not end: it has begun no step");
}

// As one that was stopped does when it is told to end.
TEST(RankWatch, WhatComesBehindTheHangIsNotOfIt) {
  WatchedAlone rank(kLongNs);
  rank.watch->begin_step(1);
  rank.watch->enqueued(0, Collective::kAllGather, 8, Dtype::kBf16);
  rank.watch->enqueued(1, Collective::kReduceScatter, 4, Dtype::kF32);
  rank.watch->tell(hang_of(0, HangClass::kSlow, "it waits"));
  rank.watch->enqueued(0, Collective::kAllGather, 16, Dtype::kBf16);
  rank.watch->end_step(1);
  rank.watch->begin_step(2);
  const auto report = hang_report(rank.folder->path(), 1, 60, {{ErrorKind::kResource, "ended", ""}, {}});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->text, "rank 0 slow: it waits");
  EXPECT_EQ(report->ranks[0].steps_begun, 1);
  EXPECT_EQ(report->ranks[0].steps_done, 0);
  ASSERT_EQ(report->ranks[0].collectives.size(), 2U);
  EXPECT_FALSE(report->ranks[0].collectives[0].done_ns);
}

TEST(RankWatch, TimesOfAnotherMachineAreReportedByTheClockOfRankZero) {
  constexpr int64_t kAheadNs = 3'000'000'000;
  WatchedAlone rank(kLongNs);
  rank.watch->begin_step(1);
  rank.watch->enqueued(0, Collective::kAllGather, 8, Dtype::kBf16);
  rank.watch->tell(hang_of(0, HangClass::kSlow, "it waits"));
  {  // one that told a second later, by a clock that says two seconds earlier
    const MappedRecord other(watch_record_path(rank.folder->path(), 1), true);
    other.get()->told_ns = monotonic_ns() + 1'000'000'000 - kAheadNs;
    write_text(other.get()->text, "what came behind");
  }
  const RanksEnd end{{ErrorKind::kResource, "ended", ""}, {}};
  EXPECT_EQ(hang_report(rank.folder->path(), 2, 60, end)->text, "what came behind");
  const auto report = hang_report(rank.folder->path(), 2, 60, end, {0, -kAheadNs});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->text, "rank 0 slow: it waits");
  const auto shifted = hang_report(rank.folder->path(), 1, 60, end, {kAheadNs});
  ASSERT_EQ(shifted->ranks[0].collectives.size(), 1U);
  EXPECT_EQ(shifted->found_ns, report->found_ns - kAheadNs);
  EXPECT_EQ(*shifted->ranks[0].collectives[0].enqueued_ns, *report->ranks[0].collectives[0].enqueued_ns - kAheadNs);
}

TEST(RankWatch, ARankThatEndedWithAnErrorIsNoHang) {
  WatchedAlone rank(kLongNs);
  rank.watch->begin_step(3);
  rank.watch->tell(hang_of(1, HangClass::kDead, "its process has ended"));
  EXPECT_FALSE(hang_report(rank.folder->path(), 2, 60, {{ErrorKind::kUsage, "its own error", ""}, {}}));
  EXPECT_TRUE(hang_report(rank.folder->path(), 2, 60, {{ErrorKind::kResource, "rank 1 dead: why", ""}, 1}));
}

TEST(RankWatch, ARankThatDiedIsReportedWithoutOneThatTold) {
  WatchedAlone rank(kLongNs);
  rank.watch->begin_step(3);
  const auto report = hang_report(rank.folder->path(), 2, 60, {{ErrorKind::kResource, "rank 1 dead: why", ""}, 1});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->rank, 1);
  EXPECT_EQ(report->kind, "dead");
  EXPECT_EQ(report->text, "rank 1 dead: why");
  ASSERT_EQ(report->ranks.size(), 2U);
  EXPECT_EQ(report->ranks[0].steps_begun, 3);
  EXPECT_EQ(report->ranks[1].no_stack, "its process had ended");
}

}  // namespace
}  // namespace aaco
