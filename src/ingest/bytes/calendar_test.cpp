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

// date -u -d "2025-09-08T09:26:50Z" +%s is 1757323610.
TEST(Calendar, ZonesAreTurnedIntoUtc) {
  constexpr int64_t kExpected = 1'757'323'610'000'000'000;
  for (const char* text :
       {"2025-09-08T09:26:50", "2025-09-08T09:26:50Z", "2025-09-08T17:26:50+08:00", "2025-09-08T17:26:50+08",
        "2025-09-08 04:26:50-0500", "2025-09-08 04:26:50 -0500", "2025-09-08 15:11:50+05:45",
        "2025-09-09 00:26:50+1500", "2025-09-08T09:26:50-00:00", "2025-09-08T09:26:50.000 Z"}) {
    const Nanoseconds time = nanoseconds_of_calendar(text);
    EXPECT_EQ(time.state, DecimalState::kExact) << text;
    EXPECT_EQ(time.value, kExpected) << text;
  }
  EXPECT_EQ(nanoseconds_of_calendar("2025-09-08T17:26:50.25+08:00").value, kExpected + 250'000'000);
  EXPECT_EQ(nanoseconds_of_calendar("2025-09-08T17:26:50.0000000001+08:00").state, DecimalState::kCut);
}

TEST(Calendar, IsNoNumberWhereNoCalendarHasIt) {
  for (const char* text : {"",
                           "2026",
                           "2026/11/20",
                           "2026/13/01 00:00:00",
                           "2023-02-29 00:00:00",
                           "2026/11/20 24:00:00",
                           "2026/11/20 07:45:08.",
                           "2026/11/20 07:45:08.6x",
                           "2026/11/20 07:45:08.Z",
                           "2026/11/20 07:45:08+",
                           "2026/11/20 07:45:08+1:00",
                           "2026/11/20 07:45:08+01:0",
                           "2026/11/20 07:45:08+01:",
                           "2026/11/20 07:45:08+01:00x",
                           "2026/11/20 07:45:08+24:00",
                           "2026/11/20 07:45:08-00:60",
                           "2026/11/20 07:45:08 ",
                           "2026/11/20 07:45:08 CET",
                           "2026/11/20 07:45:08x01:00",
                           "2026/11/20 07:45:08-05:00Z",
                           "soon"}) {
    EXPECT_EQ(nanoseconds_of_calendar(text).state, DecimalState::kNoNumber) << text;
  }
  EXPECT_EQ(nanoseconds_of_calendar("9999/01/01 00:00:00").state, DecimalState::kOutOfRange);
  EXPECT_EQ(nanoseconds_of_calendar("2026/11/20 07:45:08.0000000001").state, DecimalState::kCut);
}

}  // namespace
}  // namespace aaco
