// SPDX-License-Identifier: MIT
#include "guard/judgement/crowded_commands.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(CrowdedCommands, NoVerdictStandsInACrowd) {
  for (const Verdict verdict :
       {Verdict::kRegressed, Verdict::kImproved, Verdict::kEquivalent, Verdict::kInconclusive}) {
    Comparison comparison;
    comparison.verdict = verdict;
    refuse_crowd(0.25, comparison);
    refuse_crowd(std::nullopt, comparison);
    EXPECT_EQ(comparison.verdict, verdict);
    refuse_crowd(0.26, comparison);
    EXPECT_EQ(comparison.verdict, Verdict::kInvalid);
    EXPECT_TRUE(comparison.reason.starts_with("crowded: other programs held 26 %")) << comparison.reason;
    EXPECT_TRUE(comparison.remedy.starts_with("Measure again when the other programs have ended")) << comparison.remedy;
  }
}

}  // namespace
}  // namespace aaco
