// SPDX-License-Identifier: MIT
#include "verdict/identity/work_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "verdict/compare.h"
#include "verdict/test_samples.h"

namespace aaco {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kHash(64, 'a');
const std::string kOtherHash(64, 'b');

// A side that records all groups.
RunSample side_of(const WorkFacts& facts) {
  RunSample sample = test::sample_of({1000, 1001, 1002});
  sample.configuration.work = facts;
  for (const WorkGroup& group : kWorkGroups) {
    sample.configuration.work.try_emplace(group.id);
  }
  return sample;
}

std::string reason_of(const WorkFacts& baseline, const WorkFacts& test) {
  const Comparison result = compare(side_of(baseline), side_of(test));
  EXPECT_EQ(result.verdict == Verdict::kInvalid, !result.configuration_differences.empty());
  EXPECT_THAT(result.not_recorded, IsEmpty());
  return result.verdict == Verdict::kInvalid ? result.reason : "";
}

TEST(WorkFacts, OtherWeightsInputsOrOptionsAreOtherWork) {
  EXPECT_THAT(reason_of({{"weights", {{"w.bin", {kHash, ""}}}}}, {{"weights", {{"w.bin", {kOtherHash, ""}}}}}),
              HasSubstr("weights w.bin aaaaaaaaaaaa... / bbbbbbbbbbbb..."));
  EXPECT_THAT(reason_of({{"weights", {}}}, {{"weights", {{"w.bin", {kHash, ""}}}}}),
              HasSubstr("weights w.bin absent / aaaaaaaaaaaa..."));
  EXPECT_THAT(reason_of({{"input", {{"x", {kHash, "ones, seed 0"}}}}}, {{"input", {{"x", {kOtherHash, "x.npy"}}}}}),
              HasSubstr("input x aaaaaaaaaaaa... (ones, seed 0) / bbbbbbbbbbbb... (x.npy)"));
  EXPECT_THAT(reason_of({}, {{"option", {{"use_tf32", {"0", ""}}}}}), HasSubstr("option use_tf32 default / 0"));
  EXPECT_THAT(reason_of({{"custom_ops", {{"a.so", {kHash, ""}}}}}, {{"custom_ops", {{"a.so", {kOtherHash, ""}}}}}),
              HasSubstr("custom_ops a.so"));
}

TEST(WorkFacts, WhereItCameFromDoesNotCount) {
  EXPECT_EQ(reason_of({{"input", {{"x", {kHash, "x.npy"}}}}}, {{"input", {{"x", {kHash, "elsewhere/x.pb"}}}}}), "");
}

TEST(WorkFacts, WhatIsAskedForIsComparedAndNamed) {
  CompareOptions options;
  options.allow_different = true;
  const Comparison result =
      compare(side_of({}), side_of({{"option", {{"session.set_denormal_as_zero", {"1", ""}}}}}), options);
  EXPECT_NE(result.verdict, Verdict::kInvalid);
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("option session.set_denormal_as_zero default / 1")));
}

// A baseline of an older version: nothing is refused, and nothing is said to agree.
TEST(WorkFacts, WhatASideDoesNotRecordIsSaid) {
  RunSample older = side_of({{"option", {{"use_tf32", {"0", ""}}}}});
  older.configuration.work.clear();
  const Comparison result = compare(older, side_of({{"weights", {{"w.bin", {kHash, ""}}}}}));
  EXPECT_NE(result.verdict, Verdict::kInvalid) << result.reason;
  EXPECT_THAT(
      result.not_recorded,
      ElementsAre("not recorded by the baseline: weights outside the model file, values of the inputs, provider "
                  "and session options; whether the sides agree there is not known"));
}

TEST(WorkFacts, AnotherNameForTheSameIsNoDifference) {
  RunSample baseline = side_of({});
  RunSample test = side_of({});
  test.configuration.model_name = "copy of m";  // of the same bytes
  test.configuration.inter_op_threads = 1;      // as none
  baseline.configuration.provider = test.configuration.provider = "CPUExecutionProvider";
  test.configuration.backend = "CPUExecutionProvider";
  EXPECT_NE(compare(baseline, test).verdict, Verdict::kInvalid) << compare(baseline, test).reason;
  test.configuration.model_sha256 = "bb";
  EXPECT_THAT(compare(baseline, test).reason, HasSubstr("model_name m / copy of m"));
  test.configuration.model_sha256 = "aa";
  test.configuration.inter_op_threads = 2;
  EXPECT_THAT(compare(baseline, test).reason, HasSubstr("inter_op_threads 1 / 2"));
  test.configuration.inter_op_threads = 0;
  test.configuration.work.erase("option");  // then the backend's name is all that tells its options
  EXPECT_THAT(compare(baseline, test).reason, HasSubstr("backend cpu / CPUExecutionProvider"));
}

TEST(WorkFacts, VariablesThatSetOptionsAreOptions) {
  const auto lockbox = [](const Json& variables) { return Json{{"variables", variables}}; };
  const auto differences = variable_differences(
      lockbox({{"NVIDIA_TF32_OVERRIDE", "0"}, {"OMP_NUM_THREADS", "4"}}),
      lockbox({{"ORT_TENSORRT_FP16_ENABLE", "1"}, {"ORT_DISABLE_TELEMETRY", "1"}, {"ORT_LIB_LOCATION", "/opt"}}));
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0].field, "variable NVIDIA_TF32_OVERRIDE");
  EXPECT_EQ(differences[0].baseline, "0");
  EXPECT_EQ(differences[0].test, "absent");
  EXPECT_EQ(differences[1].field, "variable ORT_TENSORRT_FP16_ENABLE");
  EXPECT_THAT(variable_differences(Json::object(), lockbox({{"NVIDIA_TF32_OVERRIDE", "0"}})), IsEmpty());
  EXPECT_THAT(variable_differences(Json(), Json()), IsEmpty());
}

TEST(WorkFacts, HashesAreShortInSentences) {
  EXPECT_EQ(with_short_hashes("sha256:" + kHash + " (x)"), "sha256:aaaaaaaaaaaa... (x)");
  EXPECT_EQ(with_short_hashes("deadbeef and " + kHash + "a"), "deadbeef and " + kHash + "a");
  EXPECT_EQ(with_short_hashes(""), "");
}

}  // namespace
}  // namespace aaco
