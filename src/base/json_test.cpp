// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/json_text.h"
#include "base/json_value.h"
#include "base/temporary_folder.h"

namespace aaco {
namespace {

TEST(Json, KeepsTheOrderOfKeys) {
  const auto value = parse_json(R"({"b": 1, "a": [true, null]})", "x");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->dump(), R"({"b":1,"a":[true,null]})");
}

TEST(Json, SaysWhereTheTextIsNotJson) {
  const auto value = parse_json(R"({"a": 1,})", "run.json");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(value.error().message, "run.json: not valid JSON at byte 9");
}

// 1e400 is well-formed JSON and larger than any double (1.8e308).
TEST(Json, RefusesANumberOutOfRange) {
  const auto value = parse_json("[1e400]", "run.json");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().kind, ErrorKind::kUsage);
  EXPECT_NE(value.error().message.find("out of range"), std::string::npos);
}

TEST(Json, RefusesDeepNesting) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const auto value = parse_json(deep, "run.json");
  ASSERT_FALSE(value);
  EXPECT_NE(value.error().message.find("nested deeper"), std::string::npos);
}

TEST(Json, ReadsRegularFilesOfBoundedSize) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const std::filesystem::path path = folder->path() / "a.json";
  const auto expect_refused = [&](const std::string& why) {
    const Result<Json> read = read_json(path);
    ASSERT_FALSE(read) << why;
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
    EXPECT_NE(read.error().message.find(path.string()), std::string::npos) << read.error().message;
    EXPECT_NE(read.error().message.find(why), std::string::npos) << read.error().message;
    std::filesystem::remove(path);
  };
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect_refused("not a regular file");
  std::filesystem::create_symlink("/dev/zero", path);
  expect_refused("not a regular file");
  std::filesystem::create_directory(path);
  expect_refused("directory");
  std::ofstream(path) << "{";
  std::filesystem::resize_file(path, (64 << 20) + 1);
  expect_refused("larger than");
}

// The text of what holds a path or a word of a command line is UTF-8, and names the same file when read again.
TEST(Json, StringsOfAnyBytesSurviveAFile) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const Json value = {{"path", "s\xFFx"}, {"n\xFE", {"\xC3", {{"\u00E9", 1.5}}, nullptr}}};
  EXPECT_EQ(json_text(value), "{\"path\":\"s\uFFFDffx\",\"n\uFFFDfe\":[\"\uFFFDc3\",{\"\u00E9\":1.5},null]}");
  EXPECT_EQ(indented_json_text(Json{{"a", "\xFF"}}), "{\n  \"a\": \"\uFFFDff\"\n}\n");
  const std::filesystem::path path = folder->path() / "a\xFF.json";
  ASSERT_TRUE(write_json(path, value));
  EXPECT_EQ(*read_json(path), value);
  EXPECT_EQ(*parse_own_json("[\"\\ufffdff\"]", "x"), Json::array({"\xFF"}));
  EXPECT_EQ(*parse_json("[\"\\ufffdff\"]", "x"), Json::array({"\uFFFDff"}));
}

TEST(Json, TextOfANumberReadsBackAndOfAnyBytesIsUtf8) {
  EXPECT_EQ(json_number_text(int64_t{-7}), "-7");
  EXPECT_EQ(json_number_text(0.1), "0.1");
  EXPECT_EQ(json_number_text(2.0), "2.0");
  EXPECT_EQ(json_string_text("a \"b\" \xFF"), "\"a \\\"b\\\" \uFFFD\"");
  EXPECT_TRUE(is_json_text("[1, {}]"));
  EXPECT_FALSE(is_json_text("[1,"));
  EXPECT_FALSE(is_json_text("1 2"));
}

TEST(Json, AValueAsAMemberIsCopiedNotShared) {
  JsonValue value;
  EXPECT_TRUE(value->is_null());
  value = Json{{"a", 1}};
  JsonValue copy = value;
  (*copy)["a"] = 2;
  EXPECT_EQ((*value)["a"], 1);
  value = copy;
  EXPECT_EQ(value->at("a"), 2);
  const JsonValue moved = std::move(copy);
  copy = value;  // what was moved from can be assigned
  EXPECT_EQ(*copy, *moved);
  EXPECT_EQ(Json({{"held", moved}}).dump(), R"({"held":{"a":2}})");
  EXPECT_EQ((Json{{"b", 3}}.get<JsonValue>()->at("b")), 3);
}

TEST(Json, AnAbsentOptionalIsNull) {
  const std::optional<double> none;
  EXPECT_EQ(Json(none).dump(), "null");
  EXPECT_EQ(Json(1.5).get<std::optional<double>>(), 1.5);
  EXPECT_EQ(Json(nullptr).get<std::optional<double>>(), std::nullopt);
}

}  // namespace
}  // namespace aaco
