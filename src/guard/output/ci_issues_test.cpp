// SPDX-License-Identifier: MIT
#include "guard/output/ci_issues.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "guard/judgement/check_request.h"
#include "guard/output/answer_text.h"
#include "guard/output/ci_formats.h"

namespace aaco {
namespace {

GuardAnswer answer_of_bench() {
  GuardAnswer answer;
  answer.test.place = {"bench", "cpu", "m"};
  return answer;
}

// GitLab shows the first of several issues with one fingerprint only.
TEST(CiIssues, WhatOneSideAloneHasIsAnIssueOfItsOwn) {
  GuardAnswer answer = answer_of_bench();
  add_one_sided({"only in the baseline: 8 streams", "only in the test: 9 streams"}, "Measure both.", answer.samples);
  const std::vector<CiIssue> issues = ci_issues(answer);
  ASSERT_EQ(issues.size(), 2U);
  EXPECT_EQ(issues[0].name, "bench: only in the baseline: 8 streams");
  EXPECT_EQ(issues[1].name, "bench: only in the test: 9 streams");
  EXPECT_NE(fingerprint(answer, issues[0]), fingerprint(answer, issues[1]));
}

// In a crowd a limit is missed by a program that nobody made slower.
TEST(CiIssues, AGateThatAnInvalidMeasurementMissesIsInvalid) {
  GuardAnswer answer = answer_of_bench();
  answer.gates.push_back({.words = "median at most 1 ms",
                          .value = 2e6,
                          .value_words = "2 ms; crowded: by others",
                          .passed = false,
                          .is_open = true});
  EXPECT_EQ(verdict_of(answer), Verdict::kInvalid);
  EXPECT_EQ(exit_code_of(answer), 4);
  EXPECT_EQ(headline_of(answer), "invalid: median at most 1 ms: 2 ms; crowded: by others");
  EXPECT_EQ(answer_rows(answer).front().verdict, "invalid");
  const CiIssue issue = ci_issues(answer).front();
  EXPECT_EQ(issue.rule, "invalid");
  EXPECT_EQ(issue.message, "2 ms; crowded: by others");
  EXPECT_FALSE(issue.is_error);
  EXPECT_NE(junit_xml(answer).find(R"(failures="0")"), std::string::npos);
  JudgedSample& sample = answer.samples.emplace_back();
  sample.comparison.verdict = Verdict::kEquivalent;
  EXPECT_EQ(verdict_of(answer), Verdict::kInvalid);
  sample.comparison.verdict = Verdict::kRegressed;
  sample.comparison.reason = "slower in turns";
  EXPECT_EQ(headline_of(answer), "regressed: slower in turns") << "the turns decided, not the gate";
  answer.gates.front().is_open = false;
  EXPECT_EQ(headline_of(answer), "regressed: median at most 1 ms: 2 ms; crowded: by others");
}

}  // namespace
}  // namespace aaco
