// SPDX-License-Identifier: MIT
// How far the figures can be trusted: everything that was lost, unsteady, or disturbed by the measurement itself.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "analysis/devices/clock_fit.h"
#include "analysis/model_run/quota_load.h"
#include "base/format.h"
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

class Checks {
 public:
  void add(const std::string& name, Tone tone, const std::string& state, const std::string& detail) {
    table_.rows.push_back({text_cell(name), text_cell(state, tone), text_cell(detail)});
  }
  TableBlock take() && { return std::move(table_); }

 private:
  TableBlock table_{.id = "checks", .columns = {{"check"}, {"state"}, {"what was seen"}}};
};

void add_stationarity(const Input& input, Checks& checks) {
  std::string unsteady;
  int64_t measured = 0;
  for (const ProcessFacts& process : input.recording.facts.process_facts) {
    if (process.role != ProcessRole::kMeasure) {
      continue;
    }
    ++measured;
    if (!process.stationary) {
      unsteady += (unsteady.empty() ? "" : ", ") + std::to_string(process.process);
    }
  }
  if (measured == 0) {
    checks.add("warm-up", Tone::kWarning, "no data", "no measuring process closed its record");
  } else if (unsteady.empty()) {
    checks.add("warm-up", Tone::kGood, "steady",
               measured == 1 ? "the latency series of its process became stationary"
                             : fmt::format("the latency series of all {} processes became stationary", measured));
  } else {
    checks.add("warm-up", Tone::kWarning, "not steady",
               "processes whose series was still moving at the limit of the warm-up: " + unsteady);
  }
}

void add_spread(const Input& input, Checks& checks) {
  const LatencySummary* latency = input.analysis.primary_latency();
  if (latency == nullptr) {
    checks.add("latency", Tone::kBad, "no data", "no unprofiled iteration was recorded");
    return;
  }
  const auto percent = [](const std::optional<double>& cv) { return cv ? format_percent(*cv, 2) : "no data"; };
  checks.add("replication", latency->processes >= 3 ? Tone::kGood : Tone::kWarning,
             counted(latency->processes, "process", "processes"),
             latency->processes >= 3 ? "intervals are over processes, the unit of replication"
                                     : "an interval needs 3 processes");
  checks.add("spread", Tone::kNeutral, percent(latency->between_process_cv),
             "coefficient of variation between processes; within a process " + percent(latency->within_process_cv));
}

void add_outputs(const Input& input, Checks& checks) {
  const bool finite = input.recording.facts.outputs_finite;
  checks.add(
      "outputs", finite ? Tone::kGood : Tone::kBad, finite ? "finite" : "not finite",
      finite ? "no NaN and no infinity in the model's outputs" : "the model gave NaN or infinity: the run is invalid");
}

void add_quota(const Input& input, Checks& checks) {
  const RunFacts& facts = input.recording.facts;
  const std::vector<QuotaGroup> groups = quota_groups(facts);
  const MetricValue* share = input.analysis.metric("quota_throttled_share");
  if (const std::string reason = quota_unavailable(facts); !reason.empty()) {
    checks.add("CPU quota", Tone::kNeutral, "not recorded", reason);
  } else if (share != nullptr && share->value.value_or(0) > 0) {
    checks.add(
        "CPU quota", Tone::kWarning, "throttled",
        format_percent(*share->value) + " of the steady time: " +
            (groups.empty() || groups.front().throttled_periods == 0 ? "of a control group above those that can be seen"
                                                                     : quota_words(groups.front())));
  } else {
    checks.add("CPU quota", Tone::kGood, "not throttled",
               groups.empty() ? "no control group that can be seen has a quota" : quota_words(groups.front()));
  }
}

void add_profiler(const Input& input, Checks& checks) {
  const std::optional<ProfilerCost>& cost = input.recording.facts.profiler_cost;
  if (!cost) {
    return;
  }
  checks.add("profiler events", cost->events_lost == 0 && !cost->event_limit_hit ? Tone::kGood : Tone::kBad,
             cost->events_lost == 0 ? "none lost" : format_count(cost->events_lost) + " lost or more",
             format_count(cost->iterations) + " profiled iterations a process" +
                 (cost->event_limit_hit ? "; the profile does not hold them all" : "") +
                 (cost->events_lost > 0 ? "; node times are those of the inferences that are whole" : ""));
  checks.add("profiler cost", Tone::kNeutral, format_duration_ns(cost->per_node_ns) + " a node",
             (input.analysis.node_time_kind == NodeActivity::kDeviceKernel
                  ? std::string("of the host's times of nodes, none of the device's; 95 % within ± ")
                  : std::string("taken off each node's time; 95 % within ± ")) +
                 format_duration_ns(cost->bound_ns) + ", resolution " + format_duration_ns(cost->resolution_ns));
}

void add_telemetry(const Input& input, Checks& checks) {
  if (input.recording.collected.rows<SystemRow>().empty()) {
    return;
  }
  int64_t longest_ns = 0;
  for (const SystemRow& row : input.recording.collected.rows<SystemRow>()) {
    longest_ns = std::max(longest_ns, row.interval_ns);
  }
  checks.add("telemetry", Tone::kNeutral,
             format_count(static_cast<int64_t>(input.recording.collected.rows<SystemRow>().size())) + " samples",
             "longest gap between samples " + format_duration_ns(static_cast<double>(longest_ns)));
}

std::string drift_words(double ppm) {
  return std::abs(ppm) < 0.001 ? "drift below 0.001 parts in a million"
                               : fmt::format("drift {:+.3f} parts in a million", ppm);
}

// How far times that other clocks gave may be off the session's.
void add_clocks(const Input& input, Checks& checks) {
  for (const ClockFit& fit : fit_clocks(input.recording.collected.rows<ClockPairRow>())) {
    const std::string clock = fit.clock + " clock";
    if (fit.missed_pairs > 0) {
      checks.add(
          clock, Tone::kWarning, "did not run evenly",
          fmt::format("{} of {} readings lie off the fitted line, by up to {}: it was set, or its rate was changed",
                      fit.missed_pairs, fit.pairs, format_duration_ns(fit.bound_ns)));
    } else if (fit.drift_ppm) {
      checks.add(clock, Tone::kGood, "within " + format_duration_ns(fit.bound_ns),
                 fmt::format("{} paired readings over {}, {}", fit.pairs,
                             format_duration_ns(static_cast<double>(fit.span_ns)), drift_words(*fit.drift_ppm)));
    } else {
      checks.add(clock, Tone::kNeutral, "within " + format_duration_ns(fit.bound_ns),
                 "one paired reading: the drift is not known");
    }
  }
}

TableBlock process_table(const Input& input) {
  TableBlock table{.id = "processes",
                   .columns = {{"process", true},
                               {"role"},
                               {"load", true},
                               {"first run", true},
                               {"warm-up iterations", true},
                               {"steady"},
                               {"measured for", true},
                               {"between iterations", true},
                               {"processor time", true},
                               {"runnable, waiting", true},
                               {"off the processor", true},
                               {"involuntary switches", true}},
                   .sortable = true,
                   .note =
                       "Times of the steady phase; \"between iterations\" is the harness's own median time. "
                       "The kernel counts processor time in ticks of up to 10 ms: less than one is no figure."};
  // They ran interleaved; a reader looks for a number.
  std::vector<ProcessFacts> processes = input.recording.facts.process_facts;
  std::stable_sort(processes.begin(), processes.end(),
                   [](const ProcessFacts& a, const ProcessFacts& b) { return a.process < b.process; });
  constexpr size_t kMostRows = 200;
  if (processes.size() > kMostRows) {
    table.note += " The first " + std::to_string(kMostRows) + " of " + std::to_string(processes.size()) + " processes.";
    processes.resize(kMostRows);
  }
  for (const ProcessFacts& process : processes) {
    const auto accounted = [&](int64_t ns) {
      return process.run_delay_known ? number_cell(static_cast<double>(ns), "ns") : missing_cell("no data");
    };
    // The kernel adds a running thread's time at its tick, which is at most 10 ms long.
    constexpr int64_t kTickNs = 10'000'000;
    const auto ticked = [&](int64_t ns) {
      return process.run_delay_known && ns < kTickNs ? text_cell("< 10 ms") : accounted(ns);
    };
    table.rows.push_back(
        {count_cell(process.process), text_cell(word_of(process.role)), number_cell(process.load_ms, "ms"),
         number_cell(process.first_run_ms, "ms"), count_cell(process.warmup_iterations),
         text_cell(process.stationary ? "yes" : "no", process.stationary ? Tone::kNeutral : Tone::kWarning),
         number_cell(static_cast<double>(process.t_end_ns - process.t_start_ns), "ns"),
         process.harness_ns > 0 ? number_cell(process.harness_ns, "ns") : missing_cell("no data"),
         ticked(process.cpu_time_ns), accounted(process.run_delay_ns), ticked(process.off_cpu_ns),
         count_cell(process.involuntary_switches)});
  }
  return table;
}

TableBlock plane_table(const Input& input) {
  TableBlock table{.id = "planes", .columns = {{"plane"}, {"state"}, {"why"}}};
  for (const auto& [name, plane] : input.info.planes.empty() ? input.recording.planes : input.info.planes) {
    const Tone tone = plane.state == PlaneStatus::kRecorded      ? Tone::kGood
                      : plane.state == PlaneStatus::kUnavailable ? Tone::kWarning
                                                                 : Tone::kNeutral;
    table.rows.push_back({text_cell(name), text_cell(plane_status_name(plane.state), tone), text_cell(plane.reason)});
  }
  return table;
}

}  // namespace

Section quality_section(const Input& input) {
  Section section{"quality", "Data quality", {status_badge(input.status)}, {}};
  Checks checks;
  const bool closed = input.status == SessionStatus::kComplete && input.info.status_reason.empty();
  checks.add("session", status_badge(input.status).tone, session_status_name(input.status),
             closed ? "the run ended and closed the bundle" : input.info.status_reason);
  checks.add("rows", input.losses.empty() ? Tone::kGood : Tone::kBad, input.losses.empty() ? "whole" : "incomplete",
             input.losses.empty() ? "nothing was lost between recording and reading" : "see the losses below");
  add_spread(input, checks);
  add_stationarity(input, checks);
  if (input.recording.iterations.empty()) {
    checks.add("outputs", Tone::kWarning, "no data", "no inference was recorded");
  } else {
    add_outputs(input, checks);
  }
  add_quota(input, checks);
  add_profiler(input, checks);
  add_telemetry(input, checks);
  add_clocks(input, checks);
  section.blocks.push_back(std::move(checks).take());
  for (const std::string& loss : input.losses) {
    section.blocks.push_back(Paragraph{"Lost: " + loss, Tone::kBad});
  }
  for (const std::string& warning : input_warnings(input)) {
    section.blocks.push_back(Paragraph{warning, Tone::kWarning});
  }
  for (const std::string& warning : input.analysis.warnings) {
    section.blocks.push_back(Paragraph{warning, Tone::kWarning});
  }
  section.blocks.push_back(FoldedBlocks{"Planes: what was recorded, and what was not", {plane_table(input)}});
  if (!input.recording.facts.process_facts.empty()) {
    section.blocks.push_back(FoldedBlocks{"Processes", {process_table(input)}});
  }
  return section;
}

}  // namespace aaco::report
