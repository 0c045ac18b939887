// SPDX-License-Identifier: MIT
#include "session/session_tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/test_folder.h"
#include "session/bundle/manifest.h"
#include "session/test_session.h"
#include "session/verify_session.h"

namespace aaco {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> tags_in(const std::filesystem::path& session) {
  const Result<SessionInfo> info = read_session_info(session);
  EXPECT_TRUE(info);
  return info ? info->tags : std::vector<std::string>{"unreadable"};
}

FileState state_of_session_json(const std::filesystem::path& session) {
  const Result<SessionCheck> check = verify_session(session);
  EXPECT_TRUE(check && check->passed);
  for (const FileCheck& file : check ? check->files : std::vector<FileCheck>()) {
    if (file.file == layout::kSession) {
      return file.state;
    }
  }
  return FileState::kMissing;
}

TEST(SessionTags, AreShortPrintableTextsWithoutCommas) {
  for (const std::string& good : {std::string("nightly"), std::string("two words"), std::string("größe=1"),
                                  std::string("<b>&'\""), std::string(64, 'x'), std::string("-x")}) {
    EXPECT_TRUE(checked_tag(good)) << good;
  }
  std::string of_characters;
  for (size_t i = 0; i < kLongestTag; ++i) {
    of_characters += "ü";
  }
  EXPECT_TRUE(checked_tag(of_characters));
  for (const std::string& bad :
       {std::string(), std::string(" a"), std::string("a "), std::string("a\u00A0"), std::string("a,b"),
        std::string("a\nb"), std::string("a\tb"), std::string("\x1b[31m"), std::string("a\x7f"),
        std::string("\xc2\x9b"
                    "1m"),
        std::string("\u202egnp"), std::string("a\u2028b"), std::string("\u3164"), std::string("a\u200b"),
        std::string("a\u205f"), std::string("\xff"), std::string("a\0b", 3), std::string(65, 'x'),
        of_characters + "ü"}) {
    const Result<std::string> refused = checked_tag(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(refused.error().message.find_first_of("\n\x1b"), std::string::npos);
    EXPECT_EQ(refused.error().message.find("\u2028"), std::string::npos);
  }
}

TEST(SessionTags, AreSortedAndOnce) {
  EXPECT_THAT(*checked_tags({"b", "a", "b"}), ElementsAre("a", "b"));
  std::vector<std::string> many;
  for (size_t i = 0; i <= kMostTags; ++i) {
    many.push_back(std::to_string(i));
  }
  EXPECT_FALSE(checked_tags(many));
  many.back() = "0";
  EXPECT_TRUE(checked_tags(many));
}

TEST(SessionTags, NewSessionsHaveThem) {
  const TestFolder folder;
  std::vector<std::string> tags;
  {
    const TagsOfNewSessions given(tags);
    tags = {"nightly", "big", "nightly"};  // as flags come after the object is there
    const auto session = closed_test_session(folder.path());
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_THAT(tags_in(session->path()), ElementsAre("big", "nightly"));
    tags = {"a,b"};
    EXPECT_FALSE(start_test_session(folder.path() / "none"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "none"));
  }
  const auto session = closed_test_session(folder.path());
  ASSERT_TRUE(session);
  EXPECT_THAT(tags_in(session->path()), IsEmpty());
}

TEST(SessionTags, ChangeWithoutTheRest) {
  const TestFolder folder;
  std::filesystem::path path;
  {
    const auto session = closed_test_session(folder.path());
    ASSERT_TRUE(session);
    path = session->path();
  }
  Json before = *read_json(path / layout::kSession);
  EXPECT_THAT(*change_tags(path, {"good", "nightly"}, {"never"}), ElementsAre("good", "nightly"));
  EXPECT_THAT(*change_tags(path, {"better", "good"}, {"nightly"}), ElementsAre("better", "good"));
  EXPECT_EQ(state_of_session_json(path), FileState::kOk);
  const auto opened = open_session(path);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_THAT(opened->info.tags, ElementsAre("better", "good"));
  Json after = *read_json(path / layout::kSession);
  before.erase("tags");
  after.erase("tags");
  EXPECT_EQ(before, after);
  EXPECT_THAT(*change_tags(path, {}, {"better", "good"}), IsEmpty());
  EXPECT_FALSE(change_tags(path, {"a\nb"}, {}));
  EXPECT_FALSE(change_tags(folder.path() / "none", {"a"}, {}));
}

// As an older session has it, and as a newer one might.
TEST(SessionTags, OtherFieldsStay) {
  const TestFolder folder;
  const std::filesystem::path& path = folder.path();
  Json json = {{"schema_version", 1}, {"session_id", "x"}, {"kind", "run"},   {"status", "failed"},
               {"t0_wall_ns", 1},     {"later", "field"},  {"tags", {"\x1b"}}};
  ASSERT_TRUE(write_json(path / layout::kSession, json));
  EXPECT_THAT(*change_tags(path, {"new"}, {"\x1b"}), ElementsAre("new"));
  EXPECT_EQ((*read_json(path / layout::kSession))["later"], "field");
  json.erase("tags");
  ASSERT_TRUE(write_json(path / layout::kSession, json));
  EXPECT_THAT(tags_in(path), IsEmpty());
  EXPECT_THAT(*change_tags(path, {"new"}, {}), ElementsAre("new"));
}

// Killed between two of its writes: either way the session passes.
TEST(SessionTags, AreChangedInStepsThatPass) {
  const TestFolder folder;
  std::filesystem::path path;
  {
    const auto session = closed_test_session(folder.path());
    ASSERT_TRUE(session);
    path = session->path();
  }
  Manifest manifest = **read_manifest(path);
  manifest.erase(layout::kSession);
  ASSERT_TRUE(write_manifest(path, manifest));
  EXPECT_EQ(state_of_session_json(path), FileState::kExtra);
  EXPECT_TRUE(open_session(path));
  EXPECT_THAT(*change_tags(path, {"a"}, {}), ElementsAre("a"));
  EXPECT_EQ(state_of_session_json(path), FileState::kOk);
}

TEST(SessionTags, OfADamagedOrOpenSessionStay) {
  const TestFolder folder;
  std::filesystem::path path;
  {
    auto session = start_test_session(folder.path());
    ASSERT_TRUE(session);
    path = session->path();
    const auto refused = change_tags(path, {"a"}, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kResource);
    ASSERT_TRUE(session->close(SessionStatus::kComplete, ""));
  }
  std::string text = *read_file(path / layout::kSession);
  text.replace(text.find("\"batch\": 4"), 10, "\"batch\": 5");
  ASSERT_TRUE(write_file_atomically(path / layout::kSession, text));
  const auto refused = change_tags(path, {"a"}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("changed since the session was closed"));
  EXPECT_EQ(*read_file(path / layout::kSession), text);
}

}  // namespace
}  // namespace aaco
