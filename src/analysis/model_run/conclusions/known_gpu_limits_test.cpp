// SPDX-License-Identifier: MIT
// The rules on runs of an H200 whose limit is known by construction, by the metrics that were recorded then
// (bench/results/gpu-limits-h200-*.json, made by bench/classifier/collect.py). The rules were set with parts a and b in
// view; part c is of models drawn afterwards, and ran with them. The copies' share is younger than a and b, and worked
// out from what they have.
#include <algorithm>
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "analysis/model_run/conclusions/bottleneck.h"
#include "analysis/model_run/conclusions/signals.h"
#include "analysis/model_run/context.h"
#include "base/json/json.h"

namespace aaco {
namespace {

Bottleneck judge(const Json& run) {
  Recording recording;
  recording.facts.device_kind = DeviceKind::kGpu;
  Analysis analysis;
  const Json& metrics = run["metrics"];
  const std::vector<std::string> suspects = run["suspect"];
  for (const auto& [name, value] : metrics.items()) {
    const bool is_suspect = std::ranges::find(suspects, name) != suspects.end();
    analysis.metrics.push_back(is_suspect ? suspect(name, value, {}, "more than a roof") : measured(name, value));
  }
  if (metrics.contains("device_copies_in_time") && !metrics.contains("copy_time_share")) {
    const double copies_ns =
        metrics["device_copies_in_time"].get<double>() + metrics["device_copies_out_time"].get<double>();
    analysis.metrics.push_back(measured("copy_time_share", copies_ns / metrics["latency_mean"].get<double>()));
  }
  return classify(evaluate_signals({recording, analysis, {}, {}, false}));
}

using AnswersByTruth = std::map<std::string, std::map<std::string, int>>;

// By what is true of a run, how often it was called what.
AnswersByTruth judge_all(std::initializer_list<const char*> parts) {
  AnswersByTruth called;
  for (const char* part : parts) {
    const Json runs =
        read_json(std::string(AACO_SOURCE_DIR) + "/bench/results/gpu-limits-h200-" + part + ".json").value();
    for (const Json& run : runs["rows"]) {
      ++called[run["truth"]][word_of(judge(run).bottleneck_class)];
    }
  }
  return called;
}

int called_squeezed(AnswersByTruth& called) {
  int squeezed = 0;
  for (const char* truth :
       {"launch-bound", "compute-bound", "memory-bound", "movement-bound", "copy-bound", "cached"}) {
    squeezed += called[truth]["cpu-bound"] + called[truth]["quota-bound"];
  }
  return squeezed;
}

TEST(KnownGpuLimits, CopiesAreNamedWhereTheyAreTheLimitAndNowhereElse) {
  auto called = judge_all({"a", "b"});
  EXPECT_EQ(called["copy-bound"], (std::map<std::string, int>{{"copy-bound", 7}}));
  for (const auto& [truth, answers] : called) {
    EXPECT_EQ(answers.contains("copy-bound"), truth == "copy-bound") << truth;
  }
}

// A busy device does not wait for its host. Of those that a hog or a quota slowed down, two are of a model whose
// kernels were not recorded, and two copy for longer than they wait.
TEST(KnownGpuLimits, SqueezedAreThoseThatWereSqueezed) {
  auto called = judge_all({"a", "b"});
  EXPECT_EQ(called_squeezed(called), 0);
  EXPECT_EQ(called["cpu-bound"]["cpu-bound"], 6);
  EXPECT_EQ(called["quota-bound"]["quota-bound"], 10);
}

TEST(KnownGpuLimits, HoldOnModelsThatTheRulesWereNotSetWith) {
  auto called = judge_all({"c"});
  const std::map<std::string, int> all_copy{{"copy-bound", 5}}, all_squeezed{{"cpu-bound", 10}},
      all_stopped{{"quota-bound", 7}}, all_launches{{"launch-bound", 5}}, all_open{{"undetermined", 5}};
  EXPECT_EQ(called["copy-bound"], all_copy);
  EXPECT_EQ(called["cpu-bound"], all_squeezed);
  EXPECT_EQ(called["quota-bound"], all_stopped);
  EXPECT_EQ(called["launch-bound"], all_launches);
  EXPECT_EQ(called["contended"], all_open) << "another program's kernels are no limit that the rules have";
  EXPECT_EQ(called_squeezed(called), 0);
}

}  // namespace
}  // namespace aaco
