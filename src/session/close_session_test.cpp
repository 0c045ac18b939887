// SPDX-License-Identifier: MIT
#include "session/close_session.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <utility>
#include <vector>

#include "base/test_folder.h"
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

// As somebody who tidies up takes files away; each leaves a session that is not called complete.
TEST(CloseSession, a_session_whose_files_are_gone_is_not_complete) {
  const std::vector<std::pair<std::string, std::function<void(const std::filesystem::path&)>>> losses = {
      {"a table", [](const auto& bundle) { std::filesystem::remove(bundle / layout::kIterations); }},
      {"a folder", [](const auto& bundle) { std::filesystem::remove_all(bundle / "telemetry"); }},
      {"session.json", [](const auto& bundle) { std::filesystem::remove(bundle / layout::kSession); }},
      {"a shorter file", [](const auto& bundle) { std::filesystem::resize_file(bundle / layout::kIterations, 9); }},
      {"another file", [](const auto& bundle) {
         std::filesystem::remove(bundle / layout::kEnvironment);
         std::ofstream(bundle / layout::kEnvironment) << "{\"kernel\": \"another\"}\n";
       }}};
  for (const auto& [what, lose] : losses) {
    const TestFolder folder;
    SessionWriter session = started(folder);
    lose(session.path());
    const Result<void> closed = close_session(session, SessionEnd());
    ASSERT_FALSE(closed) << what;
    EXPECT_EQ(closed.error().kind, ErrorKind::kResource) << what;
    EXPECT_THAT(closed.error().message, HasSubstr("while the session was recorded")) << what;
    EXPECT_EQ(read_session_info(session.path())->status, SessionStatus::kFailed) << what;
  }
}

TEST(CloseSession, a_folder_that_was_removed_is_not_made_again) {
  for (const bool root : {false, true}) {
    const TestFolder folder;
    SessionWriter session = started(folder);
    std::filesystem::remove_all(root ? folder.path() : session.path());
    EXPECT_EQ(session.write_text("metrics/late.json", "{}").error().kind, ErrorKind::kResource);
    EXPECT_EQ(session.note_file("metrics").error().kind, ErrorKind::kResource);
    const Result<void> closed = close_session(session, SessionEnd());
    ASSERT_FALSE(closed);
    EXPECT_EQ(closed.error().kind, ErrorKind::kResource);
    EXPECT_EQ(closed.error().message, session.path().string() + ": was removed while the session was recorded");
    EXPECT_FALSE(std::filesystem::exists(session.path()));
  }
}

// What reads a file that is gone says that its path is bad, which nobody gave.
TEST(CloseSession, a_bad_path_below_a_removed_folder_is_a_lost_recording) {
  const TestFolder folder;
  SessionWriter session = started(folder);
  std::filesystem::remove_all(session.path());
  const Result<void> closed = close_session(session, Error{ErrorKind::kUsage, "cannot open x", "check the path"});
  EXPECT_EQ(closed.error().kind, ErrorKind::kResource);
  EXPECT_THAT(closed.error().message, HasSubstr("was removed while the session was recorded"));
}

TEST(CloseSession, a_bad_path_in_the_session_is_not_the_users) {
  const TestFolder folder;
  SessionWriter session = started(folder);
  const std::string message = "cannot write " + (session.path() / "analysis" / "x.parquet").string();
  const Result<void> closed = close_session(session, Error{ErrorKind::kUsage, message, "check the path"});
  EXPECT_EQ(closed.error().kind, ErrorKind::kResource);
  EXPECT_EQ(closed.error().message, message);
  EXPECT_THAT(closed.error().hint, HasSubstr("leave the sessions folder alone"));
}

TEST(CloseSession, files_that_others_wrote_belong_to_the_session) {
  const TestFolder folder;
  SessionWriter session = started(folder);
  std::filesystem::create_directories(session.path() / "profiler" / "tool");
  std::ofstream(session.path() / "profiler" / "tool" / "out.json") << "{}";
  ASSERT_TRUE(session.note_file("profiler"));
  std::filesystem::remove(session.path() / "profiler" / "tool" / "out.json");
  const Result<void> closed = close_session(session, SessionEnd());
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message, HasSubstr("profiler/tool/out.json: was removed"));
}

// JSON has no such numbers: they would come back as null, and the session could never be opened.
TEST(CloseSession, of_a_refused_command_line_there_is_none) {
  const TestFolder folder;
  SessionWriter session = started(folder);
  const Result<void> refused = refuse_session(session, Error{ErrorKind::kUsage, "--param x=nan: not a number", "hint"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "--param x=nan: not a number");
  EXPECT_FALSE(std::filesystem::exists(session.path().parent_path()));
  SessionWriter other = started(folder);
  EXPECT_FALSE(refuse_session(other, Error{ErrorKind::kResource, "out of memory", ""}));
  EXPECT_EQ(read_session_info(other.path())->status, SessionStatus::kFailed);
}

TEST(CloseSession, a_session_that_could_not_be_read_again_is_failed) {
  const TestFolder folder;
  SessionWriter session = started(folder);
  session.info().facts.process_facts.push_back({});
  session.info().facts.process_facts.back().load_ms = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(session.save());
  const Result<void> closed = close_session(session, SessionEnd());
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message, HasSubstr("could not be read again"));
  const Result<SessionInfo> info = read_session_info(session.path());
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_EQ(info->status, SessionStatus::kFailed);
}

}  // namespace
}  // namespace aaco
