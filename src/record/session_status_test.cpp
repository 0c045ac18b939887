// SPDX-License-Identifier: MIT
#include "record/session_status.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

#include "base/json/json.h"

namespace aaco {
namespace {

TEST(SessionStatus, EveryNameReadsBackAndNoTwoAreAlike) {
  std::set<std::string> names;
  for (uint8_t i = 0; i <= static_cast<uint8_t>(SessionStatus::kDamaged); ++i) {
    const auto status = static_cast<SessionStatus>(i);
    EXPECT_EQ(parse_session_status(session_status_name(status)), status);
    EXPECT_EQ(Json(status).get<SessionStatus>(), status);
    EXPECT_TRUE(names.insert(session_status_name(status)).second) << session_status_name(status);
  }
  EXPECT_EQ(Json(SessionStatus::kInterrupted), "interrupted");
}

TEST(SessionStatus, AWordThatIsNotKnownIsNoStatus) {
  EXPECT_EQ(parse_session_status("Complete"), std::nullopt);
  EXPECT_EQ(Json("paused").get<SessionStatus>(), SessionStatus::kUnknown);
}

TEST(SessionStatus, OnlyTheUserInterrupts) {
  EXPECT_EQ(status_after({ErrorKind::kInterrupted, "", ""}), SessionStatus::kInterrupted);
  EXPECT_EQ(status_after({ErrorKind::kResource, "", ""}), SessionStatus::kFailed);
}

TEST(SessionStatus, ClosedIsWhatCameToAnEnd) {
  for (const SessionStatus status :
       {SessionStatus::kComplete, SessionStatus::kInterrupted, SessionStatus::kFailed, SessionStatus::kInvalid}) {
    EXPECT_TRUE(is_closed(status)) << session_status_name(status);
  }
  for (const SessionStatus status : {SessionStatus::kRunning, SessionStatus::kIncomplete, SessionStatus::kDamaged}) {
    EXPECT_FALSE(is_closed(status)) << session_status_name(status);
  }
}

}  // namespace
}  // namespace aaco
