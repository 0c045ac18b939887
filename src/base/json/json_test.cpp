// SPDX-License-Identifier: MIT
#include "base/json/json.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/files/temporary_folder.h"
#include "base/json/json_text.h"
#include "base/json/json_value.h"

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

TEST(Json, SaysInItsOwnWordsWhatDoesNotFit) {
  const auto problem = [](const char* text) {
    const Json json = *parse_json(text, "x");
    try {
      (void)json.at("a").get<double>();
    } catch (const Json::exception& exception) {
      return json_problem(exception);
    }
    return std::string("none");
  };
  EXPECT_EQ(problem(R"({"a": 1})"), "none");
  EXPECT_EQ(problem(R"({"a": null})"), "a value has type null, not number");
  EXPECT_EQ(problem(R"({"b": 1})"), "has no \"a\"");
  EXPECT_EQ(problem("[1]"), "a value is not of the kind that must be there");
  EXPECT_EQ(from_json_value<double>(Json(), "f.json").error().message, "f.json: a value has type null, not number");
}

// 1e400 is well-formed JSON and larger than any double (1.8e308).
TEST(Json, RefusesANumberOutOfRange) {
  const auto value = parse_json("[1e400]", "run.json");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().kind, ErrorKind::kUsage);
  EXPECT_NE(value.error().message.find("out of range"), std::string::npos);
}

TEST(Json, OfEqualKeysTheLastValueStaysWhereTheFirstWas) {
  EXPECT_EQ(parse_json(R"({"b": 1, "a": {"x": 1, "x": [2]}, "b": 3, "c": 4, "b": 5})", "x")->dump(),
            R"({"b":5,"a":{"x":[2]},"c":4})");
}

// An object that looks through its members for each new key takes hours for these.
TEST(Json, AnObjectMayHaveManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 1'000'000; ++i) {
    text += fmt::format("\"{}\":{},", i, i);
  }
  const auto value = parse_json(text + "\"last\": -1}", "x");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->size(), 1'000'001U);
  EXPECT_EQ(value->back(), -1);
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

// C1 controls steer a terminal as ESC does. The value that is read back is the same.
TEST(Json, TextSteersNoTerminal) {
  const Json value = {{"\u009b", "a\u202Eb \x7f caf\u00E9 \U0001F600"}};
  EXPECT_EQ(json_text(value), "{\"\\u009b\":\"a\\u202eb \\u007f caf\u00E9 \U0001F600\"}");
  EXPECT_EQ(*parse_json(json_text(value), "x"), value);
}

TEST(Json, TextOfANumberReadsBackAndOfAnyBytesIsUtf8) {
  EXPECT_EQ(json_number_text(int64_t{-7}), "-7");
  EXPECT_EQ(json_number_text(0.1), "0.1");
  EXPECT_EQ(json_number_text(2.0), "2.0");
  EXPECT_EQ(json_string_text("a \"b\" \xFF"), "\"a \\\"b\\\" \uFFFDff\"");
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
