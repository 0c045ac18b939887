// SPDX-License-Identifier: MIT
#include "kind/training_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "verdict/pair_comparisons.h"

namespace aaco {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

StudyCell cell(int32_t version, const std::vector<double>& step_ns, double loss = 5) {
  TrainingRunDocument run;
  run.request.version = version;
  run.request.preset = "nano";
  run.request.sequences = 4;
  run.request.length = 32;
  run.request.device = "cpu:0";
  for (const double ns : step_ns) {
    TrainingProcess& process = run.processes.emplace_back();
    process.steps = 10;
    process.wall_ns = static_cast<int64_t>(10 * ns);
    process.p50_ns = ns;
    process.losses = {loss, loss};
  }
  return study_of(run).cells.front();
}

StudyCell lost(int32_t version, StudyOutcome outcome, const std::string& reason) {
  StudyCell one = cell(version, {});
  one.run.reset();
  one.outcome = outcome;
  one.reason = reason;
  return one;
}

TrainingStudyDocument study(std::vector<StudyCell> cells) {
  TrainingStudyDocument document;
  document.cells = std::move(cells);
  return document;
}

PairComparisons judged(const TrainingStudyDocument& baseline, const TrainingStudyDocument& test) {
  CompareOptions options;
  options.drift = 0.0;
  return compare_pairs(samples_of(baseline), samples_of(test), options);
}

std::vector<std::string> verdicts(const PairComparisons& comparisons) {
  std::vector<std::string> words;
  for (const PairComparison& pair : comparisons.pairs) {
    words.push_back(verdict_name(pair.comparison.verdict));
  }
  return words;
}

const std::vector<double> kSteady{1000, 1001, 999, 1002, 998};
const std::vector<double> kThirdSlower{1330, 1331, 1329, 1332, 1328};

TEST(TrainingSamples, JudgesCellByCell) {
  const PairComparisons result = judged(study({cell(1, kSteady), cell(2, kSteady), cell(4, kThirdSlower)}),
                                        study({cell(1, kSteady), cell(2, kThirdSlower), cell(4, kSteady)}));
  EXPECT_THAT(verdicts(result), ElementsAre("equivalent", "regressed", "improved"));
  EXPECT_EQ(result.pairs[1].configuration, "nano V2, fp32, 4 x 32 tokens");
  EXPECT_NEAR(*result.pairs[1].comparison.ratio, 1.33, 1e-3);
  ASSERT_TRUE(result.correction) << "three at once: Holm's levels";
  EXPECT_EQ(result.correction->pairs, 3);
  EXPECT_EQ(exit_code_of(result, false), 1);
  EXPECT_EQ(exit_code_of(judged(study({cell(1, kSteady)}), study({cell(1, kSteady)})), false), 0);
}

TEST(TrainingSamples, WhatOnlyOneSideMeasuredIsInvalidWithItsReason) {
  const TrainingStudyDocument baseline = study({cell(1, kSteady), lost(2, StudyOutcome::kFailed, "a gate")});
  const PairComparisons result =
      judged(baseline, study({lost(1, StudyOutcome::kDidNotFit, "out of memory"), cell(2, kSteady)}));
  EXPECT_THAT(verdicts(result), ElementsAre("invalid", "invalid"));
  EXPECT_THAT(result.pairs[0].comparison.reason, HasSubstr("the test session is failed: out of memory"));
  EXPECT_THAT(result.pairs[1].comparison.reason, HasSubstr("the baseline session is failed: a gate"));
  EXPECT_EQ(exit_code_of(result, false), 4);
  const PairComparisons both = judged(baseline, baseline);
  EXPECT_THAT(verdicts(both), ElementsAre("equivalent")) << "what neither side measured is no pair";
}

TEST(TrainingSamples, WhatDidNotTrainAlikeIsNotCompared) {
  const PairComparisons result = judged(study({cell(1, kSteady, 5)}), study({cell(1, kSteady, 4.9)}));
  EXPECT_THAT(verdicts(result), ElementsAre("invalid"));
  EXPECT_THAT(result.pairs[0].comparison.reason, HasSubstr("did not train alike"));
}

TEST(TrainingSamples, SizesOfTheSameNameMustBeTheSame) {
  TrainingStudyDocument wider = study({cell(1, kSteady)});
  wider.cells[0].run->request.hidden = 128;
  const PairComparisons result = judged(study({cell(1, kSteady)}), wider);
  EXPECT_THAT(verdicts(result), ElementsAre("invalid"));
  EXPECT_THAT(result.pairs[0].comparison.reason, HasSubstr("hidden size"));
}

TEST(TrainingSamples, CellsOfOneSideAreNamed) {
  const PairComparisons result =
      judged(study({cell(1, kSteady), cell(2, kSteady)}), study({cell(1, kSteady), cell(4, kSteady)}));
  EXPECT_THAT(result.unpaired, ElementsAre("only in the baseline: nano V2, fp32, 4 x 32 tokens",
                                           "only in the test: nano V4, fp32, 4 x 32 tokens"));
  EXPECT_EQ(exit_code_of(result, false), 4);
}

}  // namespace
}  // namespace aaco
