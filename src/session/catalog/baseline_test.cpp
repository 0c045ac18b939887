// SPDX-License-Identifier: MIT
#include "session/catalog/baseline.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "base/test_folder.h"

namespace aaco {
namespace {

using testing::HasSubstr;

Baseline baseline_of(const std::string& session_id) {
  Baseline baseline;
  baseline.session_id = session_id;
  baseline.saved_utc = "2026-01-01T00:00:00Z";
  baseline.sample = Json{{"process_medians_ns", {1.5, 2.5}}};
  return baseline;
}

TEST(BaselineFile, NameIsModelBackendBatch) {
  EXPECT_EQ(baseline_file_name("resnet50", "migraphx", 1), "resnet50_migraphx_b1.json");
  EXPECT_EQ(baseline_file_name("dir/my model.onnx", "cpu", 8), "dir-my-model.onnx_cpu_b8.json");
  EXPECT_EQ(baseline_file_name("../x", "cpu", 1), "-..-x_cpu_b1.json");
}

TEST(BaselineFile, WhatIsWrittenIsRead) {
  const TestFolder folder;
  const auto path = folder.path() / "new" / "b.json";
  ASSERT_TRUE(write_baseline(path, baseline_of("s1"), false));
  const Result<Baseline> again = read_baseline(path);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->session_id, "s1");
  EXPECT_EQ(again->schema_version, kBaselineOfRun);
  EXPECT_EQ(*again->sample, *baseline_of("s1").sample);
}

TEST(BaselineFile, AnotherSessionsFileIsNotReplacedUnlessAsked) {
  const TestFolder folder;
  const auto path = folder.path() / "b.json";
  ASSERT_TRUE(write_baseline(path, baseline_of("s1"), false));
  EXPECT_TRUE(write_baseline(path, baseline_of("s1"), false));
  const Result<void> refused = write_baseline(path, baseline_of("s2"), false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("holds session s1"));
  EXPECT_EQ(read_baseline(path)->session_id, "s1");
  EXPECT_TRUE(write_baseline(path, baseline_of("s2"), true));
  EXPECT_EQ(read_baseline(path)->session_id, "s2");
}

TEST(BaselineFile, WhatIsNoBaselineIsRefusedByName) {
  const TestFolder folder;
  const auto path = folder.path() / "b.json";
  const auto message_of = [&](const std::string& text) {
    std::ofstream(path) << text;
    const Result<Baseline> result = read_baseline(path);
    EXPECT_FALSE(result) << text;
    EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(result.error().message, HasSubstr("b.json"));
    EXPECT_FALSE(result.error().hint.empty());
    return result.error().message;
  };
  EXPECT_THAT(message_of(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(message_of("[]"), HasSubstr("is no baseline"));
  EXPECT_THAT(message_of(R"({"metadata": {"baseline_id": "x"}})"), HasSubstr("is no baseline"));
  EXPECT_THAT(message_of(R"({"kind": 3})"), HasSubstr("is no baseline"));
  EXPECT_THAT(message_of(R"({"kind": "aaco baseline"})"), HasSubstr("schema_version"));
  EXPECT_THAT(message_of(R"({"kind": "aaco baseline", "schema_version": 3, "session_id": "", "sample": {}})"),
              HasSubstr("schema version 3"));
  EXPECT_THAT(message_of(R"({"kind": "aaco baseline", "schema_version": 0, "session_id": "", "sample": {}})"),
              HasSubstr("schema version 0"));
  EXPECT_THAT(message_of(R"({"kind": "aaco baseline", "schema_version": "1", "session_id": "", "sample": {}})"),
              HasSubstr("type"));
  EXPECT_FALSE(read_baseline(folder.path() / "absent.json"));
}

TEST(BaselineFile, AFolderIsListedWithWhatIsDamaged) {
  const TestFolder folder;
  ASSERT_TRUE(write_baseline(folder.path() / "b.json", baseline_of("s1"), false));
  std::ofstream(folder.path() / "a.json") << "{";
  std::ofstream(folder.path() / "notes.txt") << "x";
  const auto entries = list_baselines(folder.path());
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_FALSE((*entries)[0].baseline);
  EXPECT_THAT((*entries)[0].problem, HasSubstr("not valid JSON"));
  EXPECT_EQ((*entries)[1].baseline->session_id, "s1");
  EXPECT_EQ(list_baselines(folder.path() / "absent").error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace aaco
