// SPDX-License-Identifier: MIT
#include "base/text/duration_text.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(DurationText, ReadsUnitsFromTheLargestDown) {
  EXPECT_EQ(duration_ns_of_text("500ms"), 500'000'000);
  EXPECT_EQ(duration_ns_of_text("1s"), 1'000'000'000);
  EXPECT_EQ(duration_ns_of_text("1h30m"), 5'400'000'000'000);
  EXPECT_EQ(duration_ns_of_text("7d"), 604'800'000'000'000);
  EXPECT_EQ(duration_ns_of_text("0.25"), 250'000'000);
  EXPECT_EQ(duration_ns_of_text("0s"), 0);
}

TEST(DurationText, RefusesWhatIsNoDuration) {
  for (const char* text : {"", "s", "1x", "1s1h", "1s1s", "-1s", "1.5h", "h1", "1 s", "20000d", "nan"}) {
    EXPECT_EQ(duration_ns_of_text(text), std::nullopt) << text;
  }
}

TEST(DurationText, WritesWhatItReads) {
  for (const char* text : {"0s", "500ms", "1s", "1h30m", "7d", "1d1h1m1s1ms"}) {
    EXPECT_EQ(duration_text(duration_ns_of_text(text).value()), text);
  }
}

}  // namespace
}  // namespace aaco
