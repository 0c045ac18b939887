// SPDX-License-Identifier: MIT
#include "import/verdict_files.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/temporary_folder.h"
#include "session/layout.h"

namespace aaco::imports {
namespace {

TEST(VerdictFiles, AreThreeAndTellTheSameComparison) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  Diff diff;
  diff.comparison.verdict = Verdict::kInconclusive;
  ASSERT_TRUE(write_verdict_files(folder->path(), diff, {{"kind", "session"}}));
  const auto verdict = read_json(folder->path() / layout::kVerdict);
  const auto all = read_json(folder->path() / layout::kDiff);
  const auto reference = read_json(folder->path() / layout::kBaselineRef);
  ASSERT_TRUE(verdict && all && reference);
  EXPECT_EQ(verdict->at("verdict"), "inconclusive");
  EXPECT_EQ(all->at("verdict"), *verdict);
  EXPECT_EQ(reference->at("kind"), "session");
}

TEST(VerdictFiles, AnErrorNamesWhatCannotBeWritten) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_verdict_files(folder->path(), Diff(), {}));
  const auto below_a_file = write_verdict_files(folder->path() / layout::kVerdict, Diff(), {});
  ASSERT_FALSE(below_a_file);
  EXPECT_NE(below_a_file.error().message.find("verdict.json"), std::string::npos);
}

}  // namespace
}  // namespace aaco::imports
