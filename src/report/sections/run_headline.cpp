// SPDX-License-Identifier: MIT
#include "report/sections/run_headline.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "analysis/model_run/conclusions/bottleneck.h"
#include "analysis/model_run/conclusions/summary.h"
#include "base/format.h"
#include "report/headline/stake.h"
#include "report/plot/chart.h"

namespace aaco::report {

namespace {

constexpr size_t kMostGroups = 4;       // that the bar names
constexpr size_t kLongestCommand = 70;  // that a line of the headline holds whole: half a command is none

std::string figure_of(const Recording& recording, const Analysis& analysis) {
  const RunFacts& facts = recording.facts;
  const std::string model = facts.model_name.empty() ? "the model" : facts.model_name;
  const LatencySummary* latency = analysis.primary_latency();
  return latency == nullptr ? fmt::format("{} on {}, batch {}: nothing was measured", model, facts.backend, facts.batch)
                            : fmt::format("{} on {}, batch {}: {} median {}", model, facts.backend, facts.batch,
                                          latency->phase == IterationPhase::kMeasure
                                              ? "latency"
                                              : fmt::format("{} latency", word_of(latency->phase)),
                                          format_estimate_ns(latency->p50_ns));
}

// Groups of nodes by time, and what of the latency is in none of them.
TimeBar budget_of(const Analysis& analysis) {
  TimeBar bar;
  const LatencySummary* latency = analysis.primary_latency();
  if (latency == nullptr || analysis.node_time_kind == NodeActivity::kUnknown ||
      analysis.node_time_kind == NodeActivity::kHostEnqueue) {
    return bar;
  }
  std::vector<const KernelGroupRow*> groups;
  double sum_ns = 0;
  for (const KernelGroupRow& group : analysis.groups) {
    if (group.time_ns) {
      groups.push_back(&group);
      sum_ns += *group.time_ns;
    }
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto* a, const auto* b) { return *a->time_ns > *b->time_ns; });
  double rest_ns = sum_ns;
  for (size_t i = 0; i < std::min(kMostGroups, groups.size()); ++i) {
    const std::string& name = groups[i]->group_name;
    bar.parts.push_back({name.substr(name.find_last_of(':') + 1), *groups[i]->time_ns, static_cast<int>(i)});
    rest_ns -= *groups[i]->time_ns;
  }
  if (groups.size() > kMostGroups) {
    bar.parts.push_back({"other nodes", rest_ns, static_cast<int>(kMostGroups)});
  }
  if (!groups.empty()) {  // profiled times may exceed an unprofiled latency: then there is no rest
    bar.parts.push_back({"between nodes", std::max(0.0, latency->p50_ns.value - sum_ns), plot::kMuted});
  }
  return bar;
}

std::string limit_of(const Recording& recording, const Bottleneck& bottleneck,
                     const std::vector<std::string>& command_line) {
  if (bottleneck.bottleneck_class == BottleneckClass::kUnknown) {
    return "";
  }
  if (bottleneck.bottleneck_class != BottleneckClass::kUndetermined) {
    return fmt::format("it is {}", bottleneck_words(bottleneck.bottleneck_class));
  }
  std::string command = command_for_missing(recording, command_line);
  if (command.size() > kLongestCommand) {
    command = command_for_missing(recording, {});
  }
  return "what limits it is undetermined" + (command.empty() ? ": " + bottleneck.reason : "; to find out: " + command);
}

// A share of the time of all iterations is one of their mean, which may be far from the median above.
const char* whole_of(const Offender& offender) {
  return offender.stake_basis.find("the mean latency") == std::string::npos ? "the latency" : "the mean latency";
}

void add_findings(const Recording& recording, const Analysis& analysis, const std::vector<std::string>& command_line,
                  Headline& headline) {
  const LatencySummary* latency = analysis.primary_latency();
  for (const Offender& offender : analysis.offenders) {
    if (latency != nullptr && headline.findings.empty() && is_worth_a_line(offender)) {
      headline.findings.push_back(fmt::format("{}: {}", offender.subject, stake_words(offender, whole_of(offender))));
    }
  }
  if (const std::string limit = limit_of(recording, analysis.bottleneck, command_line);
      latency != nullptr && !limit.empty()) {
    headline.findings.insert(headline.findings.begin(), limit);
  }
}

}  // namespace

Headline run_headline(const Recording& recording, const Analysis& analysis,
                      const std::vector<std::string>& command_line, const std::string& status_reason) {
  Headline headline{.figure = figure_of(recording, analysis), .budget = budget_of(analysis)};
  add_findings(recording, analysis, command_line, headline);
  std::vector<std::pair<std::string, Tone>> doubts;
  if (!status_reason.empty()) {
    doubts.emplace_back(status_reason, Tone::kBad);
  }
  for (const std::string& warning : analysis.warnings) {
    doubts.emplace_back(warning, Tone::kWarning);
  }
  set_quality(doubts, headline);
  return headline;
}

}  // namespace aaco::report
