// SPDX-License-Identifier: MIT
#include "analysis/timeline/trace_offenders.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

#include "analysis/timeline/advice/advice_input.h"
#include "analysis/timeline/device_offenders.h"
#include "analysis/timeline/offender_cases.h"
#include "base/format.h"
#include "base/text/characters.h"
#include "trace/intervals.h"

namespace aaco {

namespace {

// Operators of one name that the same roof bounds, or without one.
struct Members {
  const OperatorRoof* longest = nullptr;
  uint64_t count = 0;
  size_t rows = 0;
  int64_t time_ns = 0;
  double roof_ns = 0;
};

// On a device nothing is at stake that could be told without a roof; on the host the time itself is.
bool has_stake(const RankRoofline& rank, const OperatorRoof& op) {
  return op.place == WorkPlace::kHere && (op.roof_ns || rank.on_host);
}

// Operators without a formula are not told apart by shapes.
std::string operator_evidence(const EventTable& events, const RankRoofline& rank, const Members& group,
                              const std::optional<double>& fraction) {
  const OperatorRoof& longest = *group.longest;
  std::string text = counted(group.count, "call", "calls");
  if (longest.shapes == kEmptyString) {
    return text;
  }
  text += " of " + counted(group.rows, "shape", "shapes");
  if (fraction) {
    text += fmt::format(" at {} of the roof of {}", format_percent(*fraction, 0), rank.accelerator->name);
  }
  const std::string& type = longest.precision.empty() ? longest.work.dtype : longest.precision;
  text += fmt::format("; most in {}", shorten(events.strings[longest.shapes], kLongestOffender));
  return type.empty() ? text : text + " of " + type;
}

OffenderCase operator_case(const EventTable& events, const RankRoofline& rank, StringId name, const Members& group,
                           int64_t window_ns) {
  const OperatorRoof& longest = *group.longest;
  const bool roofed = longest.roof_ns.has_value();
  const char* bound = roof_bound_name(longest.bound);
  const std::string subject(events.strings[name]);
  OffenderCase one =
      make_case(rank.on_host ? "host operator" : "operator", roofed ? fmt::format("{} ({})", subject, bound) : subject,
                group.time_ns, 0, window_ns,
                roofed ? "upper bound: time above the roof" : "upper bound: the whole time, no roof to compare with");
  one.offender.kind = rank.on_host ? kOnHost : "group";
  one.offender.stake_ns = static_cast<double>(group.time_ns) - group.roof_ns;
  one.offender.bound = roofed ? bound : "unknown: " + longest.missing;
  one.op_type = op_family_name(longest.work.family);
  one.precision = longest.precision;
  if (roofed && group.time_ns > 0) {
    one.roof_fraction = group.roof_ns / static_cast<double>(group.time_ns);
  }
  one.offender.evidence = operator_evidence(events, rank, group, one.roof_fraction);
  return one;
}

// Device time of operators by what findings of the rank say about them.
std::map<StringId, int64_t> explained_operators(const TraceSummary& summary, const RankRoofline& rank) {
  std::map<StringId, int64_t> explained_ns;
  for (const TraceFinding& finding : summary.findings) {
    if (finding.recording == rank.recording && finding.rank == rank.rank) {
      for (const auto& [name, ns] : finding.explains.operators_ns) {
        explained_ns[name] = saturating_sum(explained_ns[name], ns);
      }
    }
  }
  return explained_ns;
}

// An operator most of whose time a finding explains is not named again.
void add_operators(const EventTable& events, const TraceSummary& summary, const RankRoofline& rank,
                   OffenderCases& cases) {
  std::map<std::pair<StringId, RoofBound>, Members> groups;
  for (const OperatorRoof& op : rank.operators) {
    if (!has_stake(rank, op)) {
      continue;
    }
    Members& group = groups[{op.name, op.bound}];
    group.longest = group.longest == nullptr ? &op : group.longest;
    group.count += op.count;
    ++group.rows;
    group.time_ns = saturating_sum(group.time_ns, op.time_ns);
    group.roof_ns +=
        op.roof_ns ? std::min(*op.roof_ns * static_cast<double>(op.count), static_cast<double>(op.time_ns)) : 0;
  }
  // Threads work at the same time: on the host a share is one of what all operators took.
  const int64_t window_ns = rank.on_host ? rank.operators_ns : window_of(summary, rank.recording, rank.rank);
  const std::map<StringId, int64_t> explained_ns = explained_operators(summary, rank);
  for (const auto& [key, group] : groups) {
    const auto explained = explained_ns.find(key.first);
    if (explained != explained_ns.end() && explained->second > group.time_ns / 2) {
      continue;
    }
    OffenderCase one = operator_case(events, rank, key.first, group, window_ns);
    if (one.offender.stake_ns > 0 && one.offender.stake_ns >= kLeastShare * static_cast<double>(window_ns)) {
      cases.add(std::move(one), place_text(rank.rank, kNoId));
    }
  }
}

void add_runs(const EventTable& events, const TraceSummary& summary, const ElementwiseRuns& runs,
              OffenderCases& cases) {
  const int64_t window_ns = window_of(summary, runs.recording, runs.rank);
  const int64_t stake_ns = runs.total_ns - runs.longest_ns;
  if (runs.runs == 0 || static_cast<double>(stake_ns) < kLeastShare * static_cast<double>(window_ns)) {
    return;
  }
  OffenderCase one = make_case("runs", "element-wise kernels in a row", runs.total_ns, stake_ns, window_ns,
                               "upper bound: each run as long as its longest kernel");
  std::string example;
  for (auto name = runs.example.begin(); name != runs.example.end();) {
    const auto next = std::find_if(name, runs.example.end(), [&](StringId other) { return other != *name; });
    const std::string times = next - name > 1 ? fmt::format(" ({} times)", next - name) : "";
    example += fmt::format("{}{}{}", example.empty() ? "" : ", ", events.strings[*name], times);
    name = next;
  }
  one.offender.kind = "group";
  one.offender.bound = "memory";
  one.offender.evidence = fmt::format("{} kernels in {} runs; the longest begins {}", runs.kernels, runs.runs, example);
  cases.add(std::move(one), place_text(runs.rank, kNoId));
}

OffenderCase case_of(const TraceFinding& finding) {
  OffenderCase one =
      make_case("pattern", finding.subject, finding.cost_ns, 0, finding.window_ns, finding.basis.c_str());
  one.offender.stake_ns = finding.saves_ns;
  one.offender.kind = "pattern";
  one.offender.bound = finding.bound;
  one.offender.evidence = finding.evidence;
  one.offender.rule = finding.pattern;
  one.offender.recommendation = finding.remedy;
  return one;
}

bool has_operators(const TraceSummary& summary, const DeviceSummary& device) {
  return std::any_of(summary.rooflines.begin(), summary.rooflines.end(), [&](const RankRoofline& rank) {
    return rank.recording == device.recording && rank.rank == device.rank && !rank.operators.empty();
  });
}

}  // namespace

std::vector<Offender> find_trace_offenders(const EventTable& events, const TraceSummary& summary,
                                           const std::vector<ElementwiseRuns>& runs) {
  OffenderCases cases;
  for (const DeviceSummary& device : summary.devices) {
    add_device_offenders(events, summary, device, cases);
    if (!has_operators(summary, device)) {
      add_longest_kernels(events, device, cases);
    }
  }
  for (const TraceFinding& finding : summary.findings) {
    cases.add(case_of(finding), place_text(finding.rank, finding.device));
  }
  for (const RankRoofline& rank : summary.rooflines) {
    add_operators(events, summary, rank, cases);
  }
  for (const ElementwiseRuns& one : runs) {
    add_runs(events, summary, one, cases);
  }
  return rank_offenders(cases.finish());
}

}  // namespace aaco
