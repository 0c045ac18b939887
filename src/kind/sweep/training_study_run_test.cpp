// SPDX-License-Identifier: MIT
#include "kind/sweep/training_study_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kind/training/worker/prepared_training.h"

namespace aaco {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TrainingRequest base() {
  TrainingRequest request;
  request.preset = "nano";
  request.device = "cpu:0";
  return request;
}

std::vector<std::string> names_of(const std::vector<TrainingRequest>& requests) {
  std::vector<std::string> names;
  for (const TrainingRequest& request : requests) {
    StudyCell cell;
    cell.request = request;
    names.push_back(name_of(cell));
  }
  return names;
}

TEST(StudyRequests, AreEveryCombinationVersionsFastest) {
  const auto requests = study_requests(base(), {.presets = {"nano", "tiny"},
                                                .precisions = {"fp32", "bf16"},
                                                .sequences = {},
                                                .lengths = {16},
                                                .versions = {1, 4}});
  ASSERT_TRUE(requests) << requests.error().message;
  EXPECT_THAT(names_of(*requests), ElementsAre("nano V1, fp32, 4 x 16 tokens", "nano V4, fp32, 4 x 16 tokens",
                                               "nano V1, bf16, 4 x 16 tokens", "nano V4, bf16, 4 x 16 tokens",
                                               "tiny V1, fp32, 8 x 16 tokens", "tiny V4, fp32, 8 x 16 tokens",
                                               "tiny V1, bf16, 8 x 16 tokens", "tiny V4, bf16, 8 x 16 tokens"));
  EXPECT_EQ((*requests)[4].hidden, 256) << "sizes are each preset's own";
  EXPECT_THAT(names_of(*study_requests(base(), {})), ElementsAre("nano V1, fp32, 4 x 32 tokens"));
}

TEST(StudyRequests, RefuseWhatCannotBeOrIsTwice) {
  const auto refused = [](const StudyAxes& axes, const char* what) {
    const auto requests = study_requests(base(), axes);
    ASSERT_FALSE(requests) << what;
    EXPECT_EQ(requests.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(requests.error().message, HasSubstr(what));
  };
  refused({.presets = {"big"}, .precisions = {}, .sequences = {}, .lengths = {}, .versions = {}}, "big");
  refused({.presets = {}, .precisions = {"fp16"}, .sequences = {}, .lengths = {}, .versions = {}}, "fp16");
  refused({.presets = {}, .precisions = {}, .sequences = {}, .lengths = {1}, .versions = {}}, "--seq-len 1");
  refused({.presets = {}, .precisions = {}, .sequences = {}, .lengths = {}, .versions = {1, 1}},
          "--versions has 1 twice");
  refused({.presets = {"nano", "nano"}, .precisions = {}, .sequences = {}, .lengths = {}, .versions = {}},
          "--presets has nano twice");
}

class StudyOutcomes : public testing::Test {
 protected:
  SweepOutcome<TrainingStudyDocument> of(const std::vector<std::optional<Error>>& failures) {
    std::vector<TrainingAttempt> attempts;
    for (const auto& failure : failures) {
      attempts.push_back({{}, failure});
      attempts.back().document.bundle = "s/" + std::to_string(attempts.size());
    }
    return study_outcome(std::vector<TrainingRequest>(failures.size(), base()), std::move(attempts));
  }
  const Error unfit_{ErrorKind::kResource, std::string(kDoesNotFit) + "out of memory", "x"};
  const Error disk_{ErrorKind::kResource, "the disk is full", "x"};
  const Error gate_{ErrorKind::kInvalid, "a gate", "x"};
  const Error interrupt_{ErrorKind::kInterrupted, "interrupted", ""};
};

TEST_F(StudyOutcomes, NothingIsDropped) {
  const auto outcome = of({std::nullopt, unfit_, gate_, disk_});
  std::vector<std::string> words;
  for (const StudyCell& cell : outcome.document.cells) {
    words.push_back(std::string(study_outcome_name(cell.outcome)) + " " + cell.reason);
    EXPECT_EQ(cell.run.has_value(), cell.outcome == StudyOutcome::kMeasured);
  }
  EXPECT_THAT(words, ElementsAre("measured ", "did not fit the training does not fit: out of memory", "failed a gate",
                                 "failed the disk is full"));
  EXPECT_EQ(outcome.document.cells[3].bundle, "s/4");
  EXPECT_EQ(outcome.failure->message, "a gate") << "the first that failed";
}

TEST_F(StudyOutcomes, WhatDoesNotFitIsAFindingUnlessNothingFits) {
  EXPECT_FALSE(of({std::nullopt, unfit_}).failure);
  EXPECT_EQ(of({unfit_, unfit_}).failure->kind, ErrorKind::kResource);
  EXPECT_EQ(of({gate_, interrupt_, interrupt_}).failure->kind, ErrorKind::kInterrupted);
}

}  // namespace
}  // namespace aaco
