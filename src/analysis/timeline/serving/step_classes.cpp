// SPDX-License-Identifier: MIT
#include "analysis/timeline/serving/step_classes.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "analysis/model_run/latency.h"

namespace aaco {

namespace {

constexpr double kNsPerS = 1e9;

void add_known(std::optional<int64_t>& sum, const std::optional<int64_t>& value) {
  sum = sum && value ? std::optional(saturating_sum(*sum, *value)) : std::nullopt;
}

StepClassSummary summarise(const std::vector<const EngineStep*>& steps) {
  StepClassSummary summary;
  summary.recording = steps.front()->recording;
  summary.rank = steps.front()->rank;
  summary.device = steps.front()->device;
  summary.step_class = steps.front()->step_class;
  summary.steps = steps.size();
  summary.requests = summary.tokens = 0;
  std::vector<int64_t> lengths_ns;
  std::vector<Span> spans;
  std::array<int64_t, kIdleCauses> causes_ns = {};
  for (const EngineStep* step : steps) {
    spans.push_back(step->whole());
    lengths_ns.push_back(spans.back().end_ns - spans.back().start_ns);
    summary.replayed += step->graph_launches > 0 ? 1 : 0;
    summary.kernels += step->kernels;
    summary.launches += step->launches;
    add_known(summary.requests, step->batch.requests);
    add_known(summary.tokens, step->batch.tokens);
    summary.work_ns += step->work.end_ns - step->work.start_ns;
    summary.idle_ns += step->idle_ns;
    summary.idle_before_ns += step->idle_before_ns;
    summary.host_held_ns += step->host_held_ns;
    for (size_t i = 0; i < kIdleCauses; ++i) {
      causes_ns[i] += step->idle_by_cause_ns[i];
    }
  }
  std::ranges::sort(lengths_ns);
  constexpr size_t kHundred = 100;
  summary.median_ns = lengths_ns[(lengths_ns.size() - 1) / 2];
  if (std::ssize(lengths_ns) >= kIterationsForP99) {
    summary.p99_ns = lengths_ns[(lengths_ns.size() * (kHundred - 1) + kHundred - 1) / kHundred - 1];
  }
  summary.ran_ns = length_ns(union_of(spans));
  if (summary.tokens && summary.ran_ns > 0) {
    summary.tokens_per_s = static_cast<double>(*summary.tokens) / static_cast<double>(summary.ran_ns) * kNsPerS;
  }
  const auto* const most = std::ranges::max_element(causes_ns);
  if (*most > 0) {
    summary.main_cause = static_cast<IdleCause>(most - causes_ns.begin());
  }
  return summary;
}

}  // namespace

std::vector<StepClassSummary> summarise_step_classes(std::span<const EngineStep> steps) {
  std::map<std::tuple<uint32_t, int64_t, int64_t, StepClass>, std::vector<const EngineStep*>> classes;
  for (const EngineStep& step : steps) {
    classes[{step.recording, step.rank, step.device, step.step_class}].push_back(&step);
  }
  std::vector<StepClassSummary> summaries;
  for (const auto& [key, members] : classes) {
    summaries.push_back(summarise(members));
  }
  return summaries;
}

}  // namespace aaco
