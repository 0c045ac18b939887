// SPDX-License-Identifier: MIT
// The sections of a run's report, one maker each. A maker returns nothing where the session has no such plane and the
// list of planes says so already; what was asked for and is missing says "no data: why" in its place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/model_run/results.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

struct Input {
  const Recording& recording;
  const Analysis& analysis;
  const SessionInfo& info;
  SessionStatus status = SessionStatus::kUnknown;  // effective
  const std::vector<std::string>& losses;
  const Json& environment;
  const Json* verdict = nullptr;  // regress/verdict.json, where there is one
  const Json& runtime;            // runtime/ort_config.json; null where there is none
};

Section summary_section(const Input& input);
Section quality_section(const Input& input);
std::optional<Section> latency_section(const Input& input);
std::optional<Section> llm_section(const Input& input);
Section bottleneck_section(const Input& input);
Section offenders_section(const Input& input);
std::optional<Section> ops_section(const Input& input);
std::optional<Section> timeline_section(const Input& input);
std::optional<Section> telemetry_section(const Input& input);
Section model_section(const Input& input);
Section metrics_section(const Input& input);
Section environment_section(const Input& input);
Section reproduce_section(const Input& input);

// Shared by sections.
std::optional<TableBlock> inputs_table(const Input& input);
std::vector<std::string> input_warnings(const Input& input);
Badge status_badge(SessionStatus status);
Tone tone_of_verdict(const std::string& verdict);
Section environment_of(const Json& environment);

// A line for each phase, with its quantiles.
TableBlock latency_table(const std::vector<LatencySummary>& latencies);

}  // namespace aaco::report
