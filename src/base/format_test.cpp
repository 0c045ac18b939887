// SPDX-License-Identifier: MIT
#include "base/format.h"

#include <array>
#include <gtest/gtest.h>
#include <unistd.h>

namespace aaco {
namespace {

TEST(Format, DurationsChooseTheirUnit) {
  EXPECT_EQ(format_duration_ns(0), "0 ns");
  EXPECT_EQ(format_duration_ns(999), "999.0 ns");
  EXPECT_EQ(format_duration_ns(2610), "2.610 us");
  EXPECT_EQ(format_duration_ns(-1.5e6), "-1.500 ms");
  EXPECT_EQ(format_duration_ns(90e9), "90.00 s");
}

TEST(Format, AnEstimateSharesItsUnitOrSaysWhatItNeeds) {
  EXPECT_EQ(format_estimate_ns({1.204e6, Interval{0.998e6, 1.211e6}}), "1.204 ms [0.9980, 1.211]");
  EXPECT_EQ(format_estimate_ns({1.204e6, std::nullopt}), "1.204 ms [interval: needs 3 processes]");
}

TEST(Format, Prefixes) {
  EXPECT_EQ(format_si(29e6, "B"), "29.0 MB");
  EXPECT_EQ(format_si(1.6e9, "FLOP"), "1.60 GFLOP");
  EXPECT_EQ(format_si(0, "B/s"), "0 B/s");
  EXPECT_EQ(format_si(0.00965, "TFLOP/s"), "9.65 GFLOP/s");  // never two prefixes
  EXPECT_EQ(format_si(1.5, "TFLOP/s"), "1.50 TFLOP/s");
  EXPECT_EQ(format_percent(0.123), "12.3 %");
}

TEST(Format, TablesAlignByDisplayWidth) {
  EXPECT_EQ(format_table({{"name", "n"}, {"\xC3\xA4", "1"}, {"bc", "-20"}}),
            "name    n\n\xC3\xA4       1\nbc    -20\n");
}

TEST(Format, NumbersStandOnTheRightAndTextsOnTheLeft) {
  EXPECT_EQ(format_table({{"what", "n"}, {"<built-in>", "< 1"}, {"b", "~20"}, {"c", "-"}}),
            "what          n\n<built-in>  < 1\nb           ~20\nc             -\n");
}
TEST(Format, TablesShowHostileNamesAsText) { EXPECT_EQ(format_table({{"m\x1b[31mRED", "a\nb"}}), "m [31mRED  a b\n"); }

TEST(Format, ColoursAreForTerminalsOnly) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  EXPECT_EQ(toned("text", Tone::kBad, ends[1]), "text");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Counted, OneIsNotSeveral) {
  EXPECT_EQ(counted(1, "process", "processes"), "1 process");
  EXPECT_EQ(counted(size_t{5}, "process", "processes"), "5 processes");
  EXPECT_EQ(counted(0, "process", "processes"), "0 processes");
}

}  // namespace
}  // namespace aaco
