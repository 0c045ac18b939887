// SPDX-License-Identifier: MIT
#include "report/values.h"

#include <gtest/gtest.h>
#include <limits>

#include "base/json/json.h"

namespace aaco::report {
namespace {

TEST(Values, UnitsAreRead) {
  EXPECT_EQ(format_in_unit(1'234'000, "ns"), "1.234 ms");
  EXPECT_EQ(format_in_unit(1.234, "ms"), "1.234 ms");
  EXPECT_EQ(format_in_unit(0.25, "1"), "0.25");
  EXPECT_EQ(format_in_unit(34'160, "1"), "34,160");
  EXPECT_EQ(format_in_unit(1.9e10, "bytes/s"), "19.0 GB/s");
  EXPECT_EQ(format_in_unit(0.123, "FLOP/byte"), "0.123 FLOP/byte");
  EXPECT_EQ(format_in_unit(34'300, "samples/s"), "34,300 samples/s");
  EXPECT_EQ(format_in_unit(12.34, "%"), "12.3 %");
  EXPECT_EQ(format_in_unit(std::numeric_limits<double>::infinity(), "ns"), "not finite");
}

TEST(Values, IntervalsShareTheirUnit) {
  EXPECT_EQ(format_interval({1.1e6, 1.3e6}, "ns"), "[1.100, 1.300] ms");
  EXPECT_EQ(format_interval({9e5, 1.3e6}, "ns"), "[900.0 us, 1.300 ms]");
  EXPECT_EQ(format_interval({0.5, 2}, "1"), "[0.5, 2]");
  EXPECT_EQ(format_with_interval(1.2e6, Interval{1.1e6, 1.3e6}, "ns"), "1.200 ms [1.100, 1.300]");
  EXPECT_EQ(format_with_interval(1.2e6, Interval{9e5, 1.3e6}, "ns"), "1.200 ms [900.0 us, 1.300 ms]");
  EXPECT_EQ(format_with_interval(9e5, Interval{1.1e6, 1.3e6}, "ns"), "900.0 us [1.100, 1.300] ms");
  EXPECT_EQ(format_with_interval(5, std::nullopt, "1"), "5");
}

TEST(Values, CountsHaveSeparators) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1'000), "1,000");
  EXPECT_EQ(format_count(-1'234'567), "-1,234,567");
}

TEST(Values, WhatIsNotKnownIsNoZero) {
  EXPECT_EQ(shown_text(optional_cell(std::nullopt, "ns")), "no data");
  EXPECT_EQ(format_json(Json()), "not known");
  EXPECT_EQ(format_json(Json("text")), "text");
  EXPECT_EQ(format_json(Json(false)), "no");
}

TEST(Values, CellsHoldTheNumberAndSinksWriteIt) {
  const Cell cell = interval_cell(1.2e6, Interval{1.1e6, 1.3e6}, "ns");
  EXPECT_EQ(std::get<double>(cell.number->value), 1.2e6);
  EXPECT_EQ(cell.number->unit, "ns");
  EXPECT_TRUE(cell.text.empty());
  EXPECT_EQ(line_of(cell), "1.200 ms [1.100, 1.300]");
  EXPECT_EQ(sort_key(cell), 1.2e6);
  EXPECT_EQ(shown_text(count_cell(1'234)), "1,234");
  EXPECT_EQ(shown_text(number_cell(1'234, "1")), "1234");
  EXPECT_EQ(sort_key(missing_cell("not recorded")), -1);
}

}  // namespace
}  // namespace aaco::report
