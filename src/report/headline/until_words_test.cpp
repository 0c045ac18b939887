// SPDX-License-Identifier: MIT
#include "report/headline/until_words.h"

#include <gtest/gtest.h>

namespace aaco::report {
namespace {

TEST(UntilWords, AReachedTargetStandsBehindTheQuality) {
  Headline headline{.figure = "x"};
  set_quality({}, headline);
  put_until({.target = 0.02, .limit_s = 300, .processes = 7, .reach = 0.019, .reached = true}, headline);
  EXPECT_EQ(headline.quality, "complete; interval within 2 %: reached after 7 processes");
  EXPECT_EQ(headline.quality_tone, Tone::kGood);
}

TEST(UntilWords, AMissedTargetIsADoubt) {
  const UntilFacts missed{.target = 0.02, .limit_s = 60, .processes = 7, .reach = 0.031, .reached = false};
  Headline headline{.figure = "x"};
  set_quality({}, headline);
  put_until(missed, headline);
  EXPECT_EQ(headline.quality, "interval within 2 %: not reached in 60 s: it reaches 3.1 % after 7 processes");
  EXPECT_EQ(headline.quality_tone, Tone::kWarning);
  set_quality({{"the end is missing", Tone::kBad}}, headline);
  put_until(missed, headline);
  EXPECT_TRUE(headline.quality.starts_with("the end is missing; interval within 2 %")) << headline.quality;
  EXPECT_EQ(headline.quality_tone, Tone::kBad);
}

}  // namespace
}  // namespace aaco::report
