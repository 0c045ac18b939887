// SPDX-License-Identifier: MIT
#include "ingest/bytes/calendar.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(Calendar, IsNanosecondsSince1970) {
  EXPECT_EQ(nanoseconds_of_calendar("1970-01-01 00:00:00").value, 0);
  // date -u -d "2026-11-20 07:45:08.672" +%s.%N
  const Nanoseconds time = nanoseconds_of_calendar("2026/11/20 07:45:08.672");
  EXPECT_EQ(time.value, 1795160708672000000);
  EXPECT_EQ(time.state, DecimalState::kExact);
  EXPECT_EQ(nanoseconds_of_calendar("2026-11-20T07:45:08.672000001Z").value, 1795160708672000001);
  EXPECT_EQ(nanoseconds_of_calendar("1969-12-31 23:59:59").value, -1'000'000'000);
  EXPECT_EQ(nanoseconds_of_calendar("2024-02-29 00:00:00").state, DecimalState::kExact);
}

TEST(Calendar, IsNoNumberWhereNoCalendarHasIt) {
  for (const char* text :
       {"", "2026", "2026/11/20", "2026/13/01 00:00:00", "2023-02-29 00:00:00", "2026/11/20 24:00:00",
        "2026/11/20 07:45:08.", "2026/11/20 07:45:08.6x", "2026/11/20 07:45:08+01:00", "soon"}) {
    EXPECT_EQ(nanoseconds_of_calendar(text).state, DecimalState::kNoNumber) << text;
  }
  EXPECT_EQ(nanoseconds_of_calendar("9999/01/01 00:00:00").state, DecimalState::kOutOfRange);
  EXPECT_EQ(nanoseconds_of_calendar("2026/11/20 07:45:08.0000000001").state, DecimalState::kCut);
}

}  // namespace
}  // namespace aaco
