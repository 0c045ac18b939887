// SPDX-License-Identifier: MIT
#include "kind/model_run/tried/tried_alternative.h"

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/json/json.h"

namespace aaco {
namespace {

// Times 0.5 (0.4 to 0.8) of the run's are 2 times as fast (1.25 to 2.5).
TEST(TriedAlternatives, AGainIsTheTimesInverse) {
  TriedAlternative tried;
  tried.pairs = 5;
  tried.time = RatioEstimate{0.5, {0.4, 0.8}, 0, 0};
  EXPECT_EQ(words_of_gain(tried), "2 times as fast (1.25 to 2.5, 5 pairs)");
  tried.time = RatioEstimate{0.8, {0.5, 1.25}, 0, 0};
  EXPECT_EQ(words_of_gain(tried), "within the noise: 1.25 times as fast (0.8 to 2, 5 pairs)");
  tried.time.reset();
  tried.missing = "no GPU";
  EXPECT_EQ(words_of_gain(tried), "no data: no GPU");
}

TEST(TriedAlternatives, TheDocumentGivesTheSameBack) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  OpenSession session;
  session.path = folder->path();
  EXPECT_TRUE(read_alternatives(session)->empty());
  TriedAlternative fast;
  fast.name = "batch=2";
  fast.batch = 2;
  fast.base_ns = 50;
  fast.ns = 80;
  fast.pairs = 5;
  fast.time = RatioEstimate{0.8, {0.5, 1.25}, 0, 0};
  TriedAlternative missing;
  missing.name = "tf32";
  missing.missing = "no GPU";
  ASSERT_TRUE(make_folders(folder->path() / "metrics"));
  ASSERT_TRUE(write_json(folder->path() / kTriedDocument, alternatives_json({fast, missing})));
  const auto tried = read_alternatives(session);
  ASSERT_TRUE(tried) << tried.error().message;
  ASSERT_EQ(tried->size(), 2U);
  EXPECT_EQ(words_of_gain((*tried)[0]), words_of_gain(fast));
  EXPECT_EQ((*tried)[0].base_ns, 50);
  EXPECT_EQ((*tried)[0].batch, 2);
  EXPECT_EQ(words_of_gain((*tried)[1]), "no data: no GPU");
  ASSERT_TRUE(write_json(folder->path() / kTriedDocument, Json::array({{{"name", "x"}}})));
  EXPECT_FALSE(read_alternatives(session));
}

}  // namespace
}  // namespace aaco
