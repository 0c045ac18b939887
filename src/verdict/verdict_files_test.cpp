// SPDX-License-Identifier: MIT
#include "verdict/verdict_files.h"

#include <gtest/gtest.h>

#include "base/files/temporary_folder.h"
#include "base/json/json.h"
#include "verdict/diff.h"

namespace aaco::imports {
namespace {

TEST(VerdictFiles, AreThreeAndTellTheSameComparison) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  Diff diff;
  diff.comparison.verdict = Verdict::kInconclusive;
  ASSERT_TRUE(write_verdict_files(folder->path(), {{"kind", "session"}}, diff_json(diff), verdict_json(diff)));
  const auto verdict = read_json(folder->path() / "verdict.json");
  const auto all = read_json(folder->path() / "diff.json");
  const auto reference = read_json(folder->path() / "baseline_ref.json");
  ASSERT_TRUE(verdict && all && reference);
  EXPECT_EQ(verdict->at("verdict"), "inconclusive");
  EXPECT_EQ(all->at("verdict"), *verdict);
  EXPECT_EQ(reference->at("kind"), "session");
}

TEST(VerdictFiles, AnErrorNamesWhatCannotBeWritten) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_verdict_files(folder->path(), {}, {}, {{"pairs", 1}}));
  EXPECT_FALSE(std::filesystem::exists(folder->path() / "diff.json")) << "of several samples there is none";
  const auto below_a_file = write_verdict_files(folder->path() / "verdict.json", {}, {}, {});
  ASSERT_FALSE(below_a_file);
  EXPECT_NE(below_a_file.error().message.find("verdict.json"), std::string::npos);
}

}  // namespace
}  // namespace aaco::imports
