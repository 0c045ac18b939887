// SPDX-License-Identifier: MIT
#include "session/close_session.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/test_folder.h"
#include "session/test_session.h"

namespace aaco {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A file is where the bundle's folder was: nothing can be written there any more.
void take_folder_away(const SessionWriter& session) {
  std::filesystem::remove_all(session.path());
  std::ofstream(session.path()) << "in the way";
}

SessionWriter started(const TestFolder& folder) { return start_test_session(folder.path()).value(); }

TEST(CloseSession, says_how_the_recording_ended) {
  const TestFolder folder;
  SessionWriter session = started(folder);
  ASSERT_TRUE(close_session(session, SessionEnd{SessionStatus::kInvalid, "an output holds NaN"}));
  const Result<SessionInfo> info = read_session_info(session.path());
  EXPECT_EQ(info->status, SessionStatus::kInvalid);
  EXPECT_EQ(info->status_reason, "an output holds NaN");
}

TEST(CloseSession, returns_the_cause_that_ended_it) {
  const TestFolder folder;
  SessionWriter session = started(folder);
  const Result<void> closed = close_session(session, Error{ErrorKind::kInterrupted, "interrupted", ""});
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().kind, ErrorKind::kInterrupted);
  EXPECT_EQ(closed.error().message, "interrupted");
  EXPECT_EQ(closed.error().hint, "");
  const Result<SessionInfo> info = read_session_info(session.path());
  EXPECT_EQ(info->status, SessionStatus::kInterrupted);
  EXPECT_EQ(info->status_reason, "interrupted");
}

TEST(CloseSession, puts_no_close_error_in_the_place_of_a_cause) {
  const TestFolder folder;
  SessionWriter session = started(folder);
  take_folder_away(session);
  const Result<void> closed = close_session(session, Error{ErrorKind::kUnavailable, "no device", "plug one in"});
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(closed.error().message, "no device");
  EXPECT_THAT(closed.error().hint, StartsWith("plug one in; nor could its session be closed: "));
  EXPECT_THAT(closed.error().hint, HasSubstr(session.path().string()));
}

TEST(CloseSession, fails_where_only_the_close_fails) {
  const TestFolder folder;
  SessionWriter session = started(folder);
  take_folder_away(session);
  const Result<void> closed = close_session(session, SessionEnd());
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message, HasSubstr(session.path().string()));
}

}  // namespace
}  // namespace aaco
