// SPDX-License-Identifier: MIT
#include "kind/sweep/sweep_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/temporary_folder.h"
#include "base/json/json.h"
#include "kind/sweep/document/queue_sweep_document.h"
#include "kind/sweep/sweep_kinds.h"
#include "session/bundle/layout.h"

namespace aaco {
namespace {

using testing::ElementsAre;
using testing::Pair;

const ProgressCallback kSilent = [](const std::string&, double) {};

TEST(SweepTurns, EachRoundRunsEachMemberAndBeginsWithTheNext) {
  std::vector<std::pair<size_t, size_t>> turns;
  const auto ended = run_turns({3, 3}, kSilent, [&](size_t member, size_t round, const auto&) -> Result<void> {
    turns.emplace_back(member, round);
    return {};
  });
  EXPECT_FALSE(ended);
  EXPECT_THAT(turns, ElementsAre(Pair(0, 0), Pair(1, 0), Pair(2, 0), Pair(1, 1), Pair(2, 1), Pair(0, 1), Pair(2, 2),
                                 Pair(0, 2), Pair(1, 2)));
}

TEST(SweepTurns, AnErrorEndsThemAndIsTheFailure) {
  size_t turns = 0;
  const auto ended = run_turns({4}, kSilent, [&](size_t member, size_t, const auto&) -> Result<void> {
    ++turns;
    return member == 1 ? Result<void>(Error{ErrorKind::kResource, "no memory", ""}) : Result<void>();
  });
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->message, "no memory");
  EXPECT_EQ(turns, 2U);
}

// The second of four turns, half done: 1.5 of 4.
TEST(SweepTurns, ProgressIsThatOfAllTurns) {
  std::vector<double> fractions;
  const ProgressCallback progress = [&](const std::string&, double fraction) { fractions.push_back(fraction); };
  EXPECT_FALSE(run_turns({2, 2}, progress, [&](size_t, size_t, const ProgressCallback& share) -> Result<void> {
    share("measuring", 0.5);
    return {};
  }));
  EXPECT_THAT(fractions, ElementsAre(0.125, 0.375, 0.625, 0.875));
}

TEST(SweepTurns, TwoSweepsHaveThoseOfOnePlaceBesideEachOther) {
  std::vector<std::pair<size_t, size_t>> turns;
  for (const SweepMember& member : members_in_turns(3, 2)) {
    turns.emplace_back(member.side, member.index);
  }
  EXPECT_THAT(turns, ElementsAre(Pair(0, 0), Pair(1, 0), Pair(0, 1), Pair(1, 1), Pair(0, 2)));
}

TEST(SweepSessions, NameThemselvesInTheirDocumentAndEndAsTheSweepDid) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  SweepOutcome<QueueSweepDocument> outcome{{}, Error{ErrorKind::kInterrupted, "interrupted", ""}};
  RunFacts facts;
  facts.model_name = "a workload";
  const auto kept =
      keep_sweep({kQueueSweep, folder->path().string(), {"aaco", "queue", "sweep"}, facts}, outcome, read_queue_sweep,
                 [](SessionWriter& session) { return session.write_text("more.txt", "more"); });
  ASSERT_TRUE(kept) << kept.error().message;
  const auto session = open_session(outcome.document.bundle);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->status, SessionStatus::kInterrupted);
  EXPECT_EQ(session->info.kind.word(), "queue_sweep");
  EXPECT_EQ(session->info.created_utc, outcome.document.created_utc);
  EXPECT_EQ(session->info.facts.model_name, "a workload");
  EXPECT_EQ(session->info.planes.at("sweep").state, PlaneStatus::kRecorded);
  EXPECT_TRUE(std::filesystem::exists(session->path / "more.txt"));
  EXPECT_TRUE(std::filesystem::exists(session->path / layout::kEnvironment));
  EXPECT_EQ(*read_json(session->path / layout::kQueue), Json(outcome.document));
}

}  // namespace
}  // namespace aaco
