// SPDX-License-Identifier: MIT
#include "kind/training/document/training_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <utility>

#include "verdict/compare.h"
#include "verdict/test_samples.h"

namespace aaco {
namespace {

using testing::HasSubstr;

TrainingRunDocument document_of(std::vector<double> losses) {
  TrainingRunDocument document;
  document.request.preset = "nano";
  document.request.hidden = 64;
  document.request.sequences = 4;
  document.request.device = "cpu:0";
  document.types = {{"residual", "fp32"}};
  document.gates = {{"gradients", true, "1e-06", "at most 1e-04"}};
  document.processes.resize(1);
  document.processes[0].losses = std::move(losses);
  return document;
}

NamedSample sample_of(const TrainingRunDocument& document, double ns = 1e8) {
  NamedSample named{.name = "", .sample = test::sample_of({ns, 1.01 * ns, 0.99 * ns}), .losses = {}};
  describe_training(document, named);
  return named;
}

Comparison compared(const TrainingRunDocument& baseline, const TrainingRunDocument& test) {
  return compare(sample_of(baseline).sample, sample_of(test, 2e8).sample);
}

TEST(TrainingSample, TheSameTrainingIsCompared) {
  const Comparison comparison = compared(document_of({7, 3}), document_of({7, 3}));
  EXPECT_EQ(comparison.verdict, Verdict::kRegressed) << comparison.reason;
}

TEST(TrainingSample, WhatIsNotTheSameIsNotComparedAndNamed) {
  const TrainingRunDocument baseline = document_of({7, 3});
  const auto reason = [&](void (*change)(TrainingRunDocument&)) {
    TrainingRunDocument other = baseline;
    change(other);
    const Comparison comparison = compared(baseline, other);
    EXPECT_EQ(comparison.verdict, Verdict::kInvalid);
    return comparison.reason;
  };
  EXPECT_THAT(reason([](auto& one) { one.request.hidden = 128; }), HasSubstr("\"hidden size\":128"));
  EXPECT_THAT(reason([](auto& one) { one.request.length = 9; }), HasSubstr("\"length\":9"));
  EXPECT_THAT(reason([](auto& one) { one.request.sequences = 8; }), HasSubstr("batch 4 / 8"));
  EXPECT_THAT(reason([](auto& one) { one.request.precision = "bf16"; }), HasSubstr("precision fp32"));
  EXPECT_THAT(reason([](auto& one) { one.types["residual"] = "bf16"; }), HasSubstr("residual bf16"));
  EXPECT_THAT(reason([](auto& one) { one.request.data = "random"; }), HasSubstr("random data"));
  EXPECT_THAT(reason([](auto& one) { one.request.seed = 43; }), HasSubstr("seed 43"));
  EXPECT_THAT(reason([](auto& one) { one.request.version = 2; }), HasSubstr("version 2"));
  EXPECT_THAT(reason([](auto& one) { one.request.device = "cuda:0"; }), HasSubstr("backend cpu:0 / cuda:0"));
  EXPECT_EQ(reason([](auto& one) { one.gates[0] = {"gradients", false, "0.1", "at most 1e-04"}; }),
            "the test session is failed: its gate \"gradients\" found 0.1, which must be at most 1e-04");
}

TEST(TrainingSample, LossesMustBeThoseOfOneTraining) {
  const NamedSample baseline = sample_of(document_of({7, 3}));
  const auto difference = [&](std::vector<double> losses) {
    return loss_difference(baseline, sample_of(document_of(std::move(losses))));
  };
  EXPECT_EQ(difference({7, 3.09}), "") << "0.9 % of the mean";
  EXPECT_EQ(difference({7, 3, 1, 1, 1}), "") << "of the steps that both have";
  EXPECT_EQ(difference({7, 3.3}), "the mean loss of the first 2 steps is 5 in the baseline and 5.15 in the test");
  EXPECT_NE(difference({7, std::numeric_limits<double>::quiet_NaN()}), "");
  EXPECT_EQ(difference({}), "") << "there is nothing to compare, as compare() says";
  TrainingRunDocument larger = document_of({8, 8});
  larger.request.hidden = 128;
  EXPECT_EQ(loss_difference(baseline, sample_of(larger)), "") << "compare() says what differs";
}

}  // namespace
}  // namespace aaco
