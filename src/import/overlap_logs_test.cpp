// SPDX-License-Identifier: MIT
#include "import/overlap_logs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "base/temporary_folder.h"

namespace aaco::imports {
namespace {

using ::testing::HasSubstr;

// As the public tool writes a step: `overlap` of `compute` beside collectives.
std::string public_line(int64_t rank, int64_t step, double loss, double compute, double overlap) {
  return fmt::format(
      R"({{"rank": {0}, "world_size": 2, "epoch": 0, "step": {1}, "global_step": {1}, "loss": {2}, "grad_norm": null, "lr": 0.1, )"
      R"("profile": {{"index": {1}, "total_ms": 20, "ranges": [], "markers": [], "overlap": {{"per_stream_ms": )"
      R"({{"compute": {3}, "aux": 1}}, "overlap_ms": {{"compute_comm": {4}, "idle": 1}}}}}}}})"
      "\n",
      rank, step, loss, compute, overlap);
}

class OverlapLogs : public ::testing::Test {
 protected:
  std::string folder(const std::string& name) {
    const auto path = folder_.path() / name;
    EXPECT_TRUE(make_folders(path));
    return path.string();
  }
  std::string run(const std::string& name, double compute, double overlap) {
    const std::string path = folder(name);
    write(path, 0, public_line(0, 0, 4, 100, 1) + public_line(0, 1, 2, compute, overlap));
    write(path, 1, public_line(1, 0, 4, 100, 1) + public_line(1, 1, 3, compute, overlap));
    return path;
  }
  static void write(const std::string& path, int64_t rank, const std::string& text) {
    EXPECT_TRUE(write_file_atomically(fmt::format("{}/rank_{:02}_metrics.jsonl", path, rank), text));
  }
  TemporaryFolder folder_ = TemporaryFolder::create().value();
};

TEST_F(OverlapLogs, MeansAreThePublicToolsOnes) {
  const auto log = read_overlap_log(run("a", 10, 2), 0);
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->ranks, 2);
  EXPECT_EQ(log->steps, 4);
  EXPECT_DOUBLE_EQ(*log->loss, 13.0 / 4);
  EXPECT_DOUBLE_EQ(*log->compute_ms, 55);
  EXPECT_DOUBLE_EQ(*log->overlap_ms, 1.5);
  EXPECT_TRUE(log->is_public);
  EXPECT_FALSE(log->communication_ms);
  const auto warm = read_overlap_log(run("a", 10, 2), 1);
  EXPECT_EQ(warm->steps, 2);
  EXPECT_EQ(warm->skipped, 2);
  EXPECT_DOUBLE_EQ(*warm->compute_ms, 10);
}

TEST_F(OverlapLogs, ComparesLabels) {
  const auto logs = read_labelled_logs({run("a", 10, 2), run("b", 10, 4)}, {"before", "after"}, 1);
  ASSERT_TRUE(logs);
  ASSERT_EQ(logs->size(), 2);
  const Json json = overlap_logs_json(*logs);
  EXPECT_DOUBLE_EQ(json["datasets"]["before"]["overlap_ratio"].get<double>(), 0.2);
  EXPECT_DOUBLE_EQ(json["datasets"]["after"]["overlap_ratio"].get<double>(), 0.4);
  const auto changes = log_changes((*logs)[0], (*logs)[1]);
  const auto found = std::find_if(changes.begin(), changes.end(),
                                  [](const LogChange& one) { return std::string(one.name) == "overlap_ratio"; });
  ASSERT_NE(found, changes.end());
  EXPECT_DOUBLE_EQ(found->ratio, 2);
  EXPECT_FALSE(found->interval);
  EXPECT_THAT(overlap_logs_text(*logs), HasSubstr("intervals need three runs"));
  EXPECT_THAT(overlap_logs_text(*logs), HasSubstr("how long the host took to call them"));
}

TEST_F(OverlapLogs, ThreeRunsOfALabelHaveAnInterval) {
  const auto logs = read_labelled_logs({run("a", 10, 2), run("b", 11, 2), run("c", 12, 2)}, {"x", "x", "x"}, 1);
  ASSERT_TRUE(logs);
  ASSERT_EQ(logs->size(), 1);
  const auto compute = log_figures(logs->front())[2].value;
  ASSERT_TRUE(compute && compute->interval);
  EXPECT_DOUBLE_EQ(compute->value, 11);
  EXPECT_NEAR(compute->interval->high, 11 + 4.303 / std::sqrt(3.0), 0.01);
  const std::string text = overlap_logs_text(*logs);
  const size_t note = text.find("x: the public tool's ranges");
  ASSERT_NE(note, std::string::npos);
  EXPECT_EQ(text.find("public tool's ranges", note + 20), std::string::npos) << "of a label once, not of each run";
}

// Of the public tool's own files: the ratio of two labels of three runs has an interval too (Welch).
TEST_F(OverlapLogs, AChangeBetweenThreeRunsEachHasAnInterval) {
  const auto logs = read_labelled_logs(
      {run("a", 10, 2), run("b", 10, 2.1), run("c", 10, 1.9), run("d", 10, 4), run("e", 10, 4.1), run("f", 10, 3.9)},
      {"x", "x", "x", "y", "y", "y"}, 1);
  ASSERT_TRUE(logs);
  const auto changes = log_changes((*logs)[0], (*logs)[1]);
  const auto found = std::find_if(changes.begin(), changes.end(),
                                  [](const LogChange& one) { return std::string(one.name) == "overlap_ratio"; });
  ASSERT_NE(found, changes.end());
  EXPECT_NEAR(found->ratio, 2, 0.01);
  ASSERT_TRUE(found->interval);
  EXPECT_GT(found->interval->low, 1.7);
  EXPECT_LT(found->interval->high, 2.4);
  EXPECT_LT(found->interval->low, found->interval->high);
}

TEST_F(OverlapLogs, ASlowFirstStepIsSaid) {
  EXPECT_THAT(overlap_logs_text(*read_labelled_logs({run("a", 10, 2)}, {"x"}, 0)), HasSubstr("--skip-steps 1"));
}

TEST_F(OverlapLogs, WhatIsNoneIsAnError) {
  EXPECT_THAT(read_overlap_log(folder("empty"), 0).error().message, HasSubstr("has no rank_*_metrics.jsonl"));
  EXPECT_FALSE(read_overlap_log(folder("empty") + "/missing", 0));
  const std::string broken = folder("broken");
  write(broken, 0, public_line(0, 0, 1, 1, 1) + "{\"rank\": \n");
  EXPECT_THAT(read_overlap_log(broken, 0).error().message, HasSubstr("rank_00_metrics.jsonl:2"));
  write(broken, 0, "[1]\n");
  EXPECT_THAT(read_overlap_log(broken, 0).error().message, HasSubstr(":1: is no object"));
  write(broken, 0, R"({"loss": "high", "profile": {"overlap": 5, "total_ms": null}})");
  const auto odd = read_overlap_log(broken, 0);
  ASSERT_TRUE(odd);
  EXPECT_FALSE(odd->loss);
  EXPECT_FALSE(odd->total_ms);
  EXPECT_FALSE(read_labelled_logs({broken}, {}, 0));
}

}  // namespace
}  // namespace aaco::imports
