// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/sharded_metrics.h"

#include <gtest/gtest.h>
#include <set>

#include "kind/copy/copy_metrics.h"
#include "kind/training/analysis/training_metrics.h"

namespace aaco {
namespace {

// Steps of 10 and 12 ms; 3 of 4 and 1 of 4 ms of communication beside 8 ms of computation each; 1 and 3 ms exposed.
ShardedDocument two_ranks() {
  ShardedDocument document;
  document.ranks.resize(2);
  document.ranks[0].step_p50_ns = 10e6;
  document.ranks[1].step_p50_ns = 12e6;
  document.losses = {3, 2.5};
  OverlapFigures figures;
  figures.ranks.resize(2);
  figures.ranks[0].mean = {
      .computation_ns = 8e6, .exposed_communication_ns = 1e6, .communication_ns = 4e6, .hidden_communication_ns = 3e6};
  figures.ranks[1].mean = {
      .computation_ns = 8e6, .exposed_communication_ns = 3e6, .communication_ns = 4e6, .hidden_communication_ns = 1e6};
  figures.speedup.emplace().share = 0.25;
  document.figures = figures;
  return document;
}

double value_of(const std::vector<MetricRow>& rows, std::string_view id) {
  const MetricRow* row = find_row(rows, id);
  return row != nullptr && row->figure.value ? *row->figure.value : -1;
}

void expect_whole(const std::vector<MetricRow>& rows) {
  std::set<std::string> ids;
  for (const MetricRow& row : rows) {
    EXPECT_TRUE(ids.insert(row.figure.id).second) << row.figure.id;
    for (const char* text : {row.info->title, row.info->formula, row.info->needs, row.info->not_told}) {
      EXPECT_STRNE(text, "") << row.figure.id;
    }
    EXPECT_NE(row.unit, "") << row.figure.id;
    EXPECT_TRUE(row.figure.value || !row.figure.quality.note.empty()) << row.figure.id << " has no reason";
  }
}

TEST(ShardedMetrics, AreMeansOverRanksAndTheSlowestRank) {
  const std::vector<MetricRow> rows = sharded_metrics(two_ranks());
  expect_whole(rows);
  EXPECT_EQ(value_of(rows, "rank_step_p50"), 12e6);
  EXPECT_EQ(value_of(rows, "exposed_communication"), 2e6);
  EXPECT_EQ(value_of(rows, "communication_hidden"), 50);
  EXPECT_EQ(value_of(rows, "computation_overlapped"), 25);
  EXPECT_EQ(value_of(rows, "ideal_speedup_share"), 25);
  EXPECT_EQ(value_of(rows, "sharded_first_loss"), 3);
  EXPECT_EQ(value_of(rows, "sharded_last_loss"), 2.5);
  EXPECT_EQ(quality_text(find_row(rows, "sharded_tokens_per_s")->figure.quality),
            "no data: the mean step was not recorded");
}

// Also of a document that an earlier version wrote.
TEST(ShardedMetrics, AShareBeyondBothEndsHasAReason) {
  for (const double share : {-0.25, 1.07}) {
    ShardedDocument document = two_ranks();
    document.figures->speedup->share = share;
    const std::vector<MetricRow> rows = sharded_metrics(document);
    EXPECT_FALSE(find_row(rows, "ideal_speedup_share")->figure.value);
    EXPECT_EQ(quality_text(find_row(rows, "ideal_speedup_share")->figure.quality),
              "no data: beyond 0 to 100 %, as an earlier version measured it: not in turns");
  }
  ShardedDocument document = two_ranks();
  document.figures->speedup->share.reset();
  document.figures->speedup->no_share = "why";
  document.figures->no_contention_tax = "why too";
  const std::vector<MetricRow> rows = sharded_metrics(document);
  EXPECT_EQ(quality_text(find_row(rows, "ideal_speedup_share")->figure.quality), "no data: why");
  EXPECT_EQ(quality_text(find_row(rows, "contention_tax")->figure.quality), "no data: why too");
}

TEST(ShardedMetrics, NothingRecordedIsNoDataAndNoZero) {
  ShardedDocument document = two_ranks();
  document.figures.reset();
  const std::vector<MetricRow> rows = sharded_metrics(document);
  expect_whole(rows);
  EXPECT_FALSE(find_row(rows, "exposed_communication")->figure.value);
  EXPECT_EQ(quality_text(find_row(rows, "communication_hidden")->figure.quality), "no data: nothing was recorded");
}

TEST(CopyMetrics, AreNamedByDirection) {
  CopyDocument document;
  document.directions.resize(2);
  document.directions[1].direction = CopyDirection::kHostToDevice;
  document.directions[1].times_ns[static_cast<size_t>(CopyVariant::kCopy)] = Estimate{5e6, Interval{4e6, 6e6}};
  document.directions[1].saved_ns = Estimate{2e6, std::nullopt};
  document.directions[1].implausible = "more than the copy takes";
  const std::vector<MetricRow> rows = copy_metrics(document);
  expect_whole(rows);
  EXPECT_FALSE(find_row(rows, "d2h.copy_time")->figure.value);
  EXPECT_EQ(value_of(rows, "h2d.copy_time"), 5e6);
  EXPECT_EQ(find_row(rows, "h2d.copy_time")->title, "h2d, copy alone");
  EXPECT_EQ(quality_text(find_row(rows, "h2d.saved_time")->figure.quality), "suspect: more than the copy takes");
}

TEST(TrainingMetrics, SayWhyThereIsNone) {
  TrainingFigures figures;
  figures.mfu_unavailable = "no roof was measured";
  figures.energy.unavailable = "no counter of energy";
  const std::vector<MetricRow> rows = training_metrics(figures, nullptr);
  expect_whole(rows);
  EXPECT_EQ(quality_text(find_row(rows, "mfu")->figure.quality), "no data: no roof was measured");
  EXPECT_EQ(quality_text(find_row(rows, "mean_power")->figure.quality), "no data: no counter of energy");
}

TEST(TrainingMetrics, HaveIntervalsAndDoubts) {
  TrainingFigures figures;
  figures.median_ns = Estimate{1e6, Interval{0.9e6, 1.1e6}};
  figures.tokens_per_s = Estimate{500, std::nullopt};
  figures.mfu = 1.5;
  LatencySummary latency;
  latency.p95_ns = 2e6;
  const std::vector<MetricRow> rows = training_metrics(figures, &latency);
  EXPECT_EQ(find_row(rows, "step_p50")->figure.interval->high, 1.1e6);
  EXPECT_EQ(find_row(rows, "training_tokens_per_s")->figure.quality.kind, QualityKind::kInconclusive);
  EXPECT_EQ(value_of(rows, "mfu"), 150);
  EXPECT_EQ(find_row(rows, "mfu")->figure.quality.kind, QualityKind::kSuspect);
  EXPECT_EQ(value_of(rows, "step_p95"), 2e6);
  EXPECT_FALSE(find_row(rows, "step_p99")->figure.value);
}

}  // namespace
}  // namespace aaco
