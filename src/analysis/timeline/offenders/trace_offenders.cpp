// SPDX-License-Identifier: MIT
#include "analysis/timeline/offenders/trace_offenders.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/timeline/advice/advice_input.h"
#include "analysis/timeline/offenders/device_offenders.h"
#include "analysis/timeline/offenders/offender_cases.h"
#include "base/format.h"
#include "base/text/characters.h"
#include "record/intervals.h"

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
  const char* bound = word_of(longest.bound);
  const std::string subject(events.strings[name]);
  OffenderCase offender_case =
      make_case(rank.on_host ? OffenderCause::kHostOperator : OffenderCause::kOperator,
                roofed ? fmt::format("{} ({})", subject, bound) : subject, group.time_ns, 0, window_ns,
                roofed ? "upper bound: time above the roof" : "upper bound: the whole time, no roof to compare with");
  offender_case.offender.kind = rank.on_host ? OffenderKind::kHostGroup : OffenderKind::kGroup;
  offender_case.offender.stake_ns = static_cast<double>(group.time_ns) - group.roof_ns;
  offender_case.roof = roofed ? longest.bound : RoofBound::kUnknown;
  offender_case.offender.bound = roofed ? bound : "unknown: " + longest.missing;
  offender_case.op_type = word_of(longest.work.family);
  offender_case.precision = longest.precision;
  if (roofed && group.time_ns > 0) {
    offender_case.roof_fraction = group.roof_ns / static_cast<double>(group.time_ns);
  }
  offender_case.offender.evidence = operator_evidence(events, rank, group, offender_case.roof_fraction);
  return offender_case;
}

using Rank = std::pair<uint32_t, int64_t>;              // recording and rank
using Device = std::tuple<uint32_t, int64_t, int64_t>;  // and device

// What findings explain: each is looked at once, however many ranks and devices there are. Where several may have the
// same idle time, only what the largest of them has is known to be explained.
struct Explanations {
  std::map<Device, ExplainedTime> by_device;
  std::map<Rank, std::map<StringId, int64_t>> operators_ns;  // device time by operator

  explicit Explanations(const std::vector<TraceFinding>& findings) {
    for (const TraceFinding& finding : findings) {
      const ExplainedTime& time = finding.explains;
      ExplainedTime& sum = by_device[{finding.recording, finding.rank, finding.device}];
      sum.late_ns = saturating_sum(sum.late_ns, time.late_ns);
      sum.late_in_calls_ns = saturating_sum(sum.late_in_calls_ns, time.late_in_calls_ns);
      sum.late_in_decode_ns = saturating_sum(sum.late_in_decode_ns, time.late_in_decode_ns);
      sum.waiting_ns = saturating_sum(sum.waiting_ns, time.waiting_ns);
      sum.exposed_copy_ns = saturating_sum(sum.exposed_copy_ns, time.exposed_copy_ns);
      sum.exposed_communication_ns = saturating_sum(sum.exposed_communication_ns, time.exposed_communication_ns);
      std::map<StringId, int64_t>& names_ns = operators_ns[{finding.recording, finding.rank}];
      for (const auto& [name, ns] : time.operators_ns) {
        names_ns[name] = saturating_sum(names_ns[name], ns);
      }
    }
    for (auto& [device, sum] : by_device) {
      sum.late_ns = std::max({sum.late_ns, sum.late_in_calls_ns, sum.late_in_decode_ns});
    }
  }
};

// An operator most of whose time a finding explains is not named again.
void add_operators(const EventTable& events, const RankRoofline& rank, int64_t rank_window_ns,
                   const std::map<StringId, int64_t>* explained_ns, OffenderCases& cases) {
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
  const int64_t window_ns = rank.on_host ? rank.operators_ns : rank_window_ns;
  for (const auto& [key, group] : groups) {
    if (explained_ns != nullptr) {
      const auto explained = explained_ns->find(key.first);
      if (explained != explained_ns->end() && explained->second > group.time_ns / 2) {
        continue;
      }
    }
    OffenderCase offender_case = operator_case(events, rank, key.first, group, window_ns);
    if (offender_case.offender.stake_ns > 0 &&
        offender_case.offender.stake_ns >= kLeastShare * static_cast<double>(window_ns)) {
      cases.add(std::move(offender_case), place_text(rank.rank, kNoId));
    }
  }
}

void add_runs(const EventTable& events, const ElementwiseRuns& runs, int64_t window_ns, OffenderCases& cases) {
  const int64_t stake_ns = runs.total_ns - runs.longest_ns;
  if (runs.runs == 0 || static_cast<double>(stake_ns) < kLeastShare * static_cast<double>(window_ns)) {
    return;
  }
  OffenderCase offender_case =
      make_case(OffenderCause::kElementwiseRuns, "element-wise kernels in a row", runs.total_ns, stake_ns, window_ns,
                "upper bound: each run as long as its longest kernel");
  std::string example;
  for (auto name = runs.example.begin(); name != runs.example.end();) {
    const auto next = std::find_if(name, runs.example.end(), [&](StringId other) { return other != *name; });
    const std::string times = next - name > 1 ? fmt::format(" ({} times)", next - name) : "";
    example += fmt::format("{}{}{}", example.empty() ? "" : ", ", events.strings[*name], times);
    name = next;
  }
  offender_case.offender.kind = OffenderKind::kGroup;
  offender_case.roof = RoofBound::kMemory;
  offender_case.offender.bound = word_of(offender_case.roof);
  offender_case.offender.evidence =
      fmt::format("{} kernels in {} runs; the longest begins {}", runs.kernels, runs.runs, example);
  cases.add(std::move(offender_case), place_text(runs.rank, kNoId));
}

OffenderCase case_of(const TraceFinding& finding) {
  OffenderCase offender_case =
      make_case(OffenderCause::kPattern, finding.subject, finding.cost_ns, 0, finding.window_ns, finding.basis.c_str());
  offender_case.offender.stake_ns = finding.saves_ns;
  offender_case.offender.kind = OffenderKind::kPattern;
  offender_case.offender.bound = finding.bound;
  offender_case.offender.evidence = finding.evidence;
  offender_case.offender.rule = finding.pattern;
  offender_case.offender.recommendation = finding.remedy;
  return offender_case;
}

// Those of which a roofline has operators.
std::set<Rank> ranks_with_operators(const std::vector<RankRoofline>& rooflines) {
  std::set<Rank> ranks;
  for (const RankRoofline& rank : rooflines) {
    if (!rank.operators.empty()) {
      ranks.insert({rank.recording, rank.rank});
    }
  }
  return ranks;
}

}  // namespace

std::vector<Offender> find_trace_offenders(const EventTable& events, const TraceSummary& summary,
                                           const LongestWindows& windows, const std::vector<ElementwiseRuns>& runs) {
  OffenderCases cases;
  const Explanations explained(summary.findings);
  const std::set<Rank> with_operators = ranks_with_operators(summary.rooflines);
  for (const DeviceSummary& device : summary.devices) {
    const auto device_time = explained.by_device.find({device.recording, device.rank, device.device});
    add_device_offenders(events, summary, device,
                         device_time == explained.by_device.end() ? ExplainedTime() : device_time->second, cases);
    if (!with_operators.contains({device.recording, device.rank})) {
      add_longest_kernels(events, device, cases);
    }
  }
  for (const TraceFinding& finding : summary.findings) {
    cases.add(case_of(finding), place_text(finding.rank, finding.device));
  }
  for (const RankRoofline& rank : summary.rooflines) {
    const auto rank_times = explained.operators_ns.find({rank.recording, rank.rank});
    add_operators(events, rank, windows.window_ns(rank.recording, rank.rank),
                  rank_times == explained.operators_ns.end() ? nullptr : &rank_times->second, cases);
  }
  for (const ElementwiseRuns& elementwise_runs : runs) {
    add_runs(events, elementwise_runs, windows.window_ns(elementwise_runs.recording, elementwise_runs.rank), cases);
  }
  return rank_offenders(cases.finish());
}

}  // namespace aaco
