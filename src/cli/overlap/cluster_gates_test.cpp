// SPDX-License-Identifier: MIT
#include "cli/overlap/cluster_gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/overlap/rank_lines.h"

#include "base/files/temporary_folder.h"
#include "base/json/json.h"
#include "kind/sharded/analysis/sharded_metrics.h"

namespace aaco {
namespace {

using ::testing::HasSubstr;

// Two ranks: medians of 10 and 11 ms; 8 and 6 of 10 computing; 3 of 4 and 1 of 2 ms of communication hidden.
ShardedDocument document_of_two() {
  ShardedDocument document;
  document.steps = 3;
  document.tokens_per_s = 1000;
  document.ranks.resize(2);
  document.ranks[1].rank = 1;
  document.ranks[0].step_p50_ns = 10e6;
  document.ranks[1].step_p50_ns = 11e6;
  document.ranks[1].losses = {4, 3, 2};
  OverlapFigures figures;
  figures.ranks.resize(2);
  figures.ranks[0].mean = {.window_ns = 10e6,
                           .computation_ns = 8e6,
                           .exposed_communication_ns = 1e6,
                           .idle_ns = 1e6,
                           .communication_ns = 4e6,
                           .hidden_communication_ns = 3e6};
  figures.ranks[1].mean = {.window_ns = 10e6,
                           .computation_ns = 6e6,
                           .exposed_communication_ns = 1e6,
                           .idle_ns = 3e6,
                           .communication_ns = 2e6,
                           .hidden_communication_ns = 1e6};
  figures.rank_steps.push_back({1, 0, figures.ranks[1].mean});
  document.figures = figures;
  return document;
}

GateFinding judge(const std::string& text, const ShardedDocument& document) {
  const auto gates = parse_cluster_gates({text});
  EXPECT_TRUE(gates) << text;
  return judge_cluster_gates(*gates, document).front();
}

TEST(ClusterGates, HoldAndAreMissed) {
  const ShardedDocument document = document_of_two();
  EXPECT_TRUE(judge("max_avg_iteration_ms=11", document).passed);
  EXPECT_FALSE(judge("max_avg_iteration_ms=10.9", document).passed);
  EXPECT_TRUE(judge("min_compute_ratio=0.6", document).passed);
  EXPECT_FALSE(judge("min_compute_ratio=0.61", document).passed);
  EXPECT_TRUE(judge("min_overlap_ratio=0.5", document).passed);
  EXPECT_FALSE(judge("min_overlap_ratio=0.51", document).passed);
  EXPECT_NEAR(*judge("max_time_variance_ratio=0.2", document).found, 0.1, 1e-12);
  EXPECT_FALSE(judge("max_time_variance_ratio=0.05", document).passed);
  const report::Section section = gates_section({judge("min_overlap_ratio=0.51", document)});
  const auto& row = std::get<report::TableBlock>(section.blocks.front()).rows.front();
  EXPECT_EQ(std::get<double>(row[1].number->value), 0.51);
  EXPECT_EQ(std::get<double>(row[2].number->value), 0.5);
  EXPECT_EQ(row[3].text, "missed");
}

TEST(ClusterGates, WhatWasNotMeasuredIsMissed) {
  ShardedDocument document = document_of_two();
  document.figures.reset();
  const GateFinding finding = judge("min_overlap_ratio=0.1", document);
  EXPECT_FALSE(finding.passed);
  const report::Section section = gates_section({finding});
  const auto& row = std::get<report::TableBlock>(section.blocks.front()).rows.front();
  EXPECT_EQ(row[2].reason, "not measured");
  EXPECT_EQ(row[3].text, "missed");
}

TEST(ClusterGates, ThresholdsThatNothingMissesAreRefused) {
  EXPECT_FALSE(parse_cluster_gates({"min_overlap_ratio=0"}));
  EXPECT_FALSE(parse_cluster_gates({"min_compute_ratio=1.5"}));
  EXPECT_FALSE(parse_cluster_gates({"max_avg_iteration_ms=0"}));
  EXPECT_FALSE(parse_cluster_gates({"max_avg_iteration_ms=inf"}));
  EXPECT_FALSE(parse_cluster_gates({"min_overlap_ratio=nan"}));
  EXPECT_THAT(parse_cluster_gates({"min_overlap=0.5"}).error().hint, HasSubstr("min_overlap_ratio"));
  EXPECT_FALSE(parse_cluster_gates({"min_overlap_ratio"}));
}

// As the report has them, mean over ranks: (1 + 2) / 2 ms exposed, (3 + 1) of (4 + 2) ms hidden, (8 + 6) of 20
// computing.
TEST(ClusterGates, ResultLineHasTheFiguresOfTheReport) {
  ShardedDocument document = document_of_two();
  document.figures->ranks[1].mean.exposed_communication_ns = 2e6;
  const std::string line = result_line(document);
  EXPECT_THAT(line, HasSubstr("RESULT ranks=2 steps=3 ms_per_step=11 tokens_per_s=1000 exposed_ms=1.5 "
                              "overlap_ratio=0.6667 compute_ratio=0.7 ideal_share=none"));
  const std::vector<MetricRow> metrics = sharded_metrics(document);
  EXPECT_EQ(find_row(metrics, "exposed_communication")->figure.value, 1.5e6);
  EXPECT_NEAR(*find_row(metrics, "communication_hidden")->figure.value, 100 * 2.0 / 3, 1e-9);
  document.figures.reset();
  EXPECT_THAT(result_line(document), HasSubstr("exposed_ms=none overlap_ratio=none compute_ratio=none"));
}

TEST(RankLines, HaveLossesRatesAndProfiles) {
  sharded::ShardedRunConfig config;
  config.optimizer.lr = 1;
  config.scheduler = {2, 4};
  config.training.batch_size = 1;
  config.dataset.num_samples = 4;  // two steps of an epoch
  const std::string lines = rank_lines(document_of_two(), config, 1);
  std::istringstream text(lines);
  std::string line;
  std::vector<Json> read;
  while (std::getline(text, line)) {
    read.push_back(Json::parse(line));
  }
  ASSERT_EQ(read.size(), 4);
  EXPECT_EQ(read[2]["epoch"], 1);
  EXPECT_EQ(read[2]["step"], 0);
  EXPECT_EQ(read[2]["loss"], 2);
  EXPECT_EQ(read[0]["lr"], 0.5);
  EXPECT_EQ(read[1]["lr"], 1);
  EXPECT_EQ(read[2]["lr"], 1);  // falls from here on, to 0 behind step 4
  EXPECT_EQ(rate_factor(config.scheduler, 4), 0.5);
  EXPECT_EQ(rate_factor(config.scheduler, 5), 0);
  EXPECT_EQ(read[3]["profile"]["overlap"]["overlap_ms"]["compute_comm"], 1);
  EXPECT_EQ(read[3]["profile"]["overlap"]["per_stream_ms"]["compute"], 6);
  EXPECT_EQ(read[3]["rank"], 1);
}

TEST(RankLines, ATraceHasTheSlicesOfItsRank) {
  ShardedDocument document = document_of_two();
  document.timeline = {{0, "compute", "gemm", "computation", 1000, 3000},
                       {1, "compute", "gemm", "computation", 500, 2000},
                       {1, "all-gather", "all_gather", "communication", 0, 1000}};
  const TemporaryFolder folder = TemporaryFolder::create().value();
  ASSERT_TRUE(write_rank_traces(folder.path(), "trace.json", document));
  const Json trace = *read_json(folder.path() / "rank_01_trace.json");
  std::vector<Json> slices;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "X") {
      slices.push_back(event);
    }
  }
  ASSERT_EQ(slices.size(), 2);
  EXPECT_EQ(slices[0]["dur"], 1.5);
  EXPECT_EQ(slices[1]["name"], "all_gather");
  EXPECT_NE(slices[0]["tid"], slices[1]["tid"]);
  ASSERT_TRUE(write_tensorboard_traces(folder.path(), document));
  EXPECT_EQ(*read_json(folder.path() / "tensorboard" / "rank_01.pt.trace.json"), trace);
}

}  // namespace
}  // namespace aaco
