// SPDX-License-Identifier: MIT
#include "report/session_report.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaco::report {
namespace {

TEST(SessionReport, EachKindHasOne) {
  for (const SessionKindTraits* kind : session_kinds()) {
    const auto reports = session_reports();
    EXPECT_EQ(
        std::count_if(reports.begin(), reports.end(),
                      [&](const SessionReport& report) { return report.kind == kind && report.build != nullptr; }),
        1)
        << kind->id;
  }
}

TEST(SessionReport, AKindOfANewerVersionIsNamed) {
  OpenSession session;
  session.path = "sessions/d/s";
  session.info.kind = SessionKind("train");
  const auto report = build_session_report(session);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(report.error().message, "sessions/d/s: is a session of kind \"train\", which this aaco does not know");
  EXPECT_THAT(report.error().hint, testing::HasSubstr("upgrade aaco"));
}

}  // namespace
}  // namespace aaco::report
