// SPDX-License-Identifier: MIT
#include "kind/sharded/logs/sharded_logs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/json/json.h"

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

class ShardedLogs : public ::testing::Test {
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

TEST_F(ShardedLogs, MeansAreThePublicToolsOnes) {
  const auto log = read_sharded_log(run("a", 10, 2), 0);
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->ranks, 2);
  EXPECT_EQ(log->steps, 4);
  EXPECT_DOUBLE_EQ(*log->loss, 13.0 / 4);
  EXPECT_DOUBLE_EQ(*log->compute_ms, 55);
  EXPECT_DOUBLE_EQ(*log->overlap_ms, 1.5);
  EXPECT_TRUE(log->is_public);
  EXPECT_FALSE(log->communication_ms);
  const auto warm = read_sharded_log(run("a", 10, 2), 1);
  EXPECT_EQ(warm->steps, 2);
  EXPECT_EQ(warm->skipped, 2);
  EXPECT_DOUBLE_EQ(*warm->compute_ms, 10);
}

// A line of a step that was profiled otherwise, which has no overlap.
TEST_F(ShardedLogs, AMeanIsOfTheLinesThatHaveTheValue) {
  const std::string without = R"({"rank":0,"global_step":1,"loss":2,"profile":{"total_ms":20}})"
                              "\n";
  const std::string path = folder("some");
  write(path, 0, public_line(0, 0, 4, 10, 2) + without);
  const auto some = read_sharded_log(path, 0);
  ASSERT_TRUE(some) << some.error().message;
  EXPECT_EQ(some->steps, 2);
  EXPECT_DOUBLE_EQ(*some->overlap_ms, 2);
  EXPECT_DOUBLE_EQ(*some->compute_ms, 10);
  EXPECT_TRUE(some->is_public);
  write(path, 0, without);
  const auto none = read_sharded_log(path, 0);
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_FALSE(none->overlap_ms);
  EXPECT_FALSE(none->is_public) << "nothing of the line tells whose it is";
}

TEST_F(ShardedLogs, ComparesLabels) {
  const auto logs = read_labelled_logs({run("a", 10, 2), run("b", 10, 4)}, {"before", "after"}, 1);
  ASSERT_TRUE(logs);
  ASSERT_EQ(logs->size(), 2);
  const Json json = sharded_logs_json(*logs);
  EXPECT_DOUBLE_EQ(json["datasets"]["before"]["overlap_ratio"].get<double>(), 0.2);
  EXPECT_DOUBLE_EQ(json["datasets"]["after"]["overlap_ratio"].get<double>(), 0.4);
  const auto changes = log_changes((*logs)[0], (*logs)[1]);
  const auto found = std::find_if(changes.begin(), changes.end(),
                                  [](const LogChange& one) { return std::string(one.name) == "overlap_ratio"; });
  ASSERT_NE(found, changes.end());
  EXPECT_DOUBLE_EQ(found->ratio, 2);
  EXPECT_FALSE(found->interval);
  EXPECT_THAT(sharded_logs_text(*logs), HasSubstr("intervals need three runs"));
  EXPECT_THAT(sharded_logs_text(*logs), HasSubstr("how long the host took to call them"));
}

TEST_F(ShardedLogs, ThreeRunsOfALabelHaveAnInterval) {
  const auto logs = read_labelled_logs({run("a", 10, 2), run("b", 11, 2), run("c", 12, 2)}, {"x", "x", "x"}, 1);
  ASSERT_TRUE(logs);
  ASSERT_EQ(logs->size(), 1);
  const auto compute = log_figures(logs->front())[2].value;
  ASSERT_TRUE(compute && compute->interval);
  EXPECT_DOUBLE_EQ(compute->value, 11);
  EXPECT_NEAR(compute->interval->high, 11 + 4.303 / std::sqrt(3.0), 0.01);
  const std::string text = sharded_logs_text(*logs);
  const size_t note = text.find("x: the public tool's ranges");
  ASSERT_NE(note, std::string::npos);
  EXPECT_EQ(text.find("public tool's ranges", note + 20), std::string::npos) << "of a label once, not of each run";
}

// Of the public tool's own files: the ratio of two labels of three runs has an interval too (Welch).
TEST_F(ShardedLogs, AChangeBetweenThreeRunsEachHasAnInterval) {
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

TEST_F(ShardedLogs, ASlowFirstStepIsSaid) {
  EXPECT_THAT(sharded_logs_text(*read_labelled_logs({run("a", 10, 2)}, {"x"}, 0)), HasSubstr("--skip-steps 1"));
}

TEST_F(ShardedLogs, WhatIsNoneIsAnError) {
  EXPECT_THAT(read_sharded_log(folder("empty"), 0).error().message, HasSubstr("has no rank_*_metrics.jsonl"));
  EXPECT_FALSE(read_sharded_log(folder("empty") + "/missing", 0));
  const std::string broken = folder("broken");
  write(broken, 0, "{\"rank\": \n");
  EXPECT_THAT(read_sharded_log(broken, 0).error().message, HasSubstr("rank_00_metrics.jsonl:1: not valid JSON"));
  write(broken, 0, "\n[1]\n");
  EXPECT_THAT(read_sharded_log(broken, 0).error().message, HasSubstr(":2: is no object"));
  EXPECT_FALSE(read_labelled_logs({broken}, {}, 0));
}

// The mean of 2.5 and 5 is that of the lines which say a number.
TEST_F(ShardedLogs, LinesOfWrongTypesAreLostAndNamed) {
  const std::string mixed = folder("mixed");
  write(mixed, 0,
        R"({"rank":0,"global_step":0,"loss":2.5})"
        "\n"
        R"({"rank":0,"global_step":"1","loss":"bad"})"
        "\n"
        R"({"rank":0,"global_step":2,"loss":"7"})"
        "\n"
        R"({"rank":0,"global_step":3,"loss":5.0,"profile":null})"
        "\n"
        R"({"rank":0,"global_step":4,"loss":9.0,"profile":{"overlap":5}})"
        "\n"
        R"({"rank":0,"global_step":5,"loss":9.0,"profile":[]})"
        "\n"
        R"([1])"
        "\n"
        R"({"rank":0,"global_step":7,"loss":true})"
        "\n");
  const auto logs = read_labelled_logs({mixed}, {"m"}, 0);
  ASSERT_TRUE(logs) << logs.error().message;
  const ShardedLog& log = logs->front().runs.front();
  EXPECT_DOUBLE_EQ(*log.loss, 3.75);
  EXPECT_EQ(log.lost_lines, 6);
  ASSERT_EQ(log.lost.size(), 5) << "the first few are named, all are counted";
  EXPECT_EQ(log.lost[0].line, 2);
  EXPECT_EQ(log.lost[0].why, R"(global_step is "1", not a number)");
  EXPECT_EQ(log.lost[1].why, R"(loss is "7", not a number)");
  EXPECT_EQ(log.lost[2].why, "profile.overlap is 5, not an object");
  EXPECT_EQ(log.lost[3].why, "profile is [], not an object");
  EXPECT_EQ(log.lost[4].why, "is no object");
  EXPECT_TRUE(lost_lines(*logs));
  EXPECT_THAT(sharded_logs_text(*logs), HasSubstr("6 lines could not be read"));
  EXPECT_EQ(sharded_logs_json(*logs)["datasets"]["m"]["runs"][0]["lost_lines"], 6);
}

// A job was killed while it wrote, started again, and was killed again.
TEST_F(ShardedLogs, ATornLineIsLostAndTheRestIsRead) {
  const std::string torn = folder("torn");
  write(torn, 0,
        public_line(0, 0, 4, 10, 1) + R"({"rank": 0, "glo)" + public_line(0, 0, 6, 10, 1) +
            public_line(0, 1, 6, 10, 1) + R"({"rank": 0, "loss)");
  const auto log = read_sharded_log(torn, 0);
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_DOUBLE_EQ(*log->loss, 5);
  EXPECT_EQ(log->steps, 2);
  EXPECT_EQ(log->lost_lines, 2);
  EXPECT_THAT(log->lost[1].why, HasSubstr("is cut off (not valid JSON"));
  EXPECT_EQ(log->lost[1].line, 4);
  const auto whole = read_labelled_logs({run("a", 10, 2)}, {"x"}, 0);
  EXPECT_FALSE(lost_lines(*whole));
}

// A line that ends with the file and is whole is no torn one.
TEST_F(ShardedLogs, ALastLineMayLackItsEnd) {
  const std::string path = folder("a");
  write(path, 0, public_line(0, 0, 4, 10, 1) + R"({"global_step": 1, "loss": null})");
  const auto log = read_sharded_log(path, 0);
  ASSERT_TRUE(log);
  EXPECT_EQ(log->lost_lines, 0);
}

}  // namespace
}  // namespace aaco::imports
