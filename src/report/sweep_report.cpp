// SPDX-License-Identifier: MIT
#include "report/sweep_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "analysis/model_run/results.h"
#include "analysis/model_run/scaling.h"
#include "base/format.h"
#include "base/json.h"
#include "report/json_fields.h"
#include "report/sections/sections.h"
#include "report/sweep_plots.h"
#include "report/values.h"
#include "session/layout.h"

namespace aaco::report {

namespace {

const char* const kRate = "samples/s";
const char* const kNoElapsedTime = "not recorded: how long the iterations took together";

// "12.3 % [10.1 %, 14.0 %]".
std::string gain_text(const ScalingRow& row) {
  const std::string gain = format_percent(*row.gain_per_doubling);
  return row.gain_interval ? fmt::format("{} [{}, {}]", gain, format_percent(row.gain_interval->low),
                                         format_percent(row.gain_interval->high))
                           : gain;
}

KeyFigures figures_of(const Scaling& scaling) {
  if (scaling.rows.empty()) {
    return {};
  }
  const auto rate = [](const ScalingRow& row) { return row.samples_per_s ? row.samples_per_s->value : 0; };
  const auto best = std::ranges::max_element(scaling.rows, {}, rate);
  const auto quickest = std::min_element(
      scaling.rows.begin(), scaling.rows.end(),
      [](const ScalingRow& a, const ScalingRow& b) { return a.latency_ns.value < b.latency_ns.value; });
  const auto batch = [](const ScalingRow& row) { return fmt::format("at batch {}", row.batch); };
  const KeyFigure saturation =
      scaling.saturation_batch
          ? KeyFigure{"saturated from batch", std::to_string(*scaling.saturation_batch), scaling.saturation}
          : KeyFigure{"saturated from batch", "not found", scaling.saturation};
  const KeyFigure highest =
      best->samples_per_s ? KeyFigure{"highest throughput", format_si(best->samples_per_s->value, kRate), batch(*best)}
                          : KeyFigure{"highest throughput", "no data", kNoElapsedTime};
  KeyFigures figures{
      {highest, saturation, {"least latency", format_duration_ns(quickest->latency_ns.value), batch(*quickest)}}};
  if (scaling.batch_exponent) {
    figures.figures.push_back({"exponent of latency over batch", fmt::format("{:.2f}", *scaling.batch_exponent),
                               "0: it does not grow; 1: as the batch does"});
  }
  return figures;
}

Section summary_of(const Scaling& scaling, const Json& sweep) {
  Section section{"summary", "Summary"};
  if (scaling.rows.empty()) {
    section.blocks.push_back(Paragraph{"No data: no batch was measured to its end.", Tone::kWarning});
  } else {
    section.blocks.push_back(figures_of(scaling));
  }
  for (size_t i = 1; i < scaling.rows.size(); ++i) {
    if (scaling.saturation_batch == scaling.rows[i - 1].batch) {
      section.blocks.push_back(Paragraph{
          fmt::format("Throughput is saturated from batch {} on: going to batch {} gains {} a doubling, less than {}.",
                      *scaling.saturation_batch, scaling.rows[i].batch, gain_text(scaling.rows[i]),
                      format_percent(kSaturationGain, 0))});
    }
  }
  if (const std::string stopped = text_of(sweep, "stopped_by"); !stopped.empty()) {
    section.blocks.push_back(Paragraph{"The sweep ended early: " + stopped, Tone::kWarning});
  }
  return section;
}

// What sweep.json says of the run of a batch.
Json point_of(const Json& sweep, int64_t batch) {
  const Json* points = member_of(sweep, "points");
  for (const Json& point : points != nullptr && points->is_array() ? *points : Json::array()) {
    if (number_of(point, "batch") == static_cast<double>(batch)) {
      return point;
    }
  }
  return {};
}

std::string session_of(const Json& point) {
  return std::filesystem::path(text_of(point, "bundle")).filename().string();
}

TableBlock batch_table(const Scaling& scaling, const Json& sweep) {
  TableBlock table{.id = "batches",
                   .columns = {{"batch", true},
                               {"p50", true},
                               {"per sample", true},
                               {"throughput", true},
                               {"gain per doubling", true},
                               {"bottleneck"},
                               {"session"}},
                   .sortable = true,
                   .note =
                       "Throughput: iterations over elapsed time. Intervals: 95 % over processes; that of a gain takes "
                       "both throughputs at their worst. Each batch is a session of its own, with its report."};
  for (const ScalingRow& row : scaling.rows) {
    const Json point = point_of(sweep, row.batch);
    Cell gain{.text = "", .order = -1};
    if (row.gain_per_doubling) {
      gain = {.text = format_percent(*row.gain_per_doubling), .order = row.gain_per_doubling};
      if (row.gain_interval) {
        gain.detail =
            fmt::format("[{}, {}]", format_percent(row.gain_interval->low), format_percent(row.gain_interval->high));
      }
    }
    table.rows.push_back({count_cell(row.batch), interval_cell(row.latency_ns.value, row.latency_ns.interval, "ns"),
                          number_cell(row.per_sample_ns, "ns"),
                          row.samples_per_s
                              ? interval_cell(row.samples_per_s->value, row.samples_per_s->interval, kRate)
                              : missing_cell("no data"),
                          gain, text_cell(text_of(point, "bottleneck_class")), text_cell(session_of(point))});
  }
  return table;
}

// Runs that gave no figure.
std::optional<Bullets> lost_batches(const Json& sweep) {
  Bullets lost{.title = "Batches without a figure"};
  const Json* points = member_of(sweep, "points");
  for (const Json& point : points != nullptr && points->is_array() ? *points : Json::array()) {
    if (const std::string status = text_of(point, "status"); parse_session_status(status) != SessionStatus::kComplete) {
      const Json* batch = member_of(point, "batch");
      lost.items.push_back(fmt::format("batch {}: {}, {}", format_json(batch != nullptr ? *batch : Json()),
                                       status.empty() ? "no status" : status, session_of(point)));
    }
  }
  return lost.items.empty() ? std::nullopt : std::optional(lost);
}

bool is_sound(const Estimate& estimate) {
  const bool positive = std::isfinite(estimate.value) && estimate.value > 0;
  const auto& interval = estimate.interval;
  return positive &&
         (!interval || (interval->low > 0 && interval->low <= interval->high && std::isfinite(interval->high)));
}

// Of a sweep of before elapsed times were kept: from the iterations that the batch's own session recorded. The bundles
// of a sweep lie beside each other, wherever the folder was moved to.
std::optional<Estimate> recorded_elapsed(const OpenSession& session, const Json& point, int64_t batch) {
  const std::string name = session_of(point);
  if (name.empty()) {
    return std::nullopt;
  }
  const Result<OpenSession> run = open_session(session.path.parent_path() / name);
  const bool same = run && run->info.session_id == name && run->recording.facts.batch == batch;
  return same ? elapsed_of(analyse(run->recording), batch) : std::nullopt;
}

// What follows from batches and times is computed again, so that an edited file cannot contradict itself.
Result<Scaling> read_scaling(const OpenSession& session, const Json& sweep, const std::string& source) {
  const Json* member = member_of(sweep, "scaling");
  const char* const hint = "the file is damaged: run aaco sweep again";
  if (member == nullptr || !member->is_object()) {
    return Error{ErrorKind::kUsage, source + ": no scaling in it", hint};
  }
  AACO_ASSIGN(const Scaling given, from_json_value<Scaling>(*member, source));
  std::vector<ScalingPoint> points;
  for (const ScalingRow& row : given.rows) {
    points.push_back(
        {row.batch, row.latency_ns,
         row.elapsed_ns ? row.elapsed_ns : recorded_elapsed(session, point_of(sweep, row.batch), row.batch)});
  }
  Scaling scaling = scaling_of(points);
  const bool sound = std::all_of(scaling.rows.begin(), scaling.rows.end(), [](const ScalingRow& row) {
    return is_sound(row.latency_ns) && (!row.samples_per_s || is_sound(*row.samples_per_s)) &&
           std::isfinite(row.gain_per_doubling.value_or(0)) && std::isfinite(1 / row.per_sample_ns);
  });
  if (!sound || scaling.rows.size() != points.size()) {
    return Error{ErrorKind::kUsage, source + ": a batch twice, or a batch or time that is not positive", hint};
  }
  return scaling;
}

}  // namespace

Result<Report> build_sweep_report(const OpenSession& session, const Json& sweep) {
  const std::string source = (session.path / layout::kSweep).string();
  AACO_ASSIGN(const Scaling scaling, read_scaling(session, sweep, source));
  const RunFacts& facts = session.recording.facts;
  Report report;
  report.title = fmt::format("{} on {} over batch sizes", facts.model_name, facts.backend);
  report.subtitle = fmt::format("Sweep {}, recorded {}, {}", session.info.session_id, session.info.created_utc,
                                facts.precision_executed);
  report.badges.push_back(status_badge(session.status));
  report.sections.push_back(summary_of(scaling, sweep));
  Section throughput{"batches", "By batch"};
  throughput.blocks = {ChartBlock{throughput_by_batch(scaling)}, ChartBlock{latency_by_batch(scaling)},
                       ChartBlock{latency_per_sample(scaling)}, ChartBlock{gain_by_batch(scaling)}};
  if (!scaling.rows.empty()) {
    throughput.blocks.emplace_back(batch_table(scaling, sweep));
  }
  if (auto lost = lost_batches(sweep)) {
    throughput.blocks.emplace_back(std::move(*lost));
  }
  report.sections.push_back(std::move(throughput));
  const Analysis none;
  const Json no_runtime;
  report.sections.push_back(reproduce_section({session.recording, none, session.info, session.status, session.losses,
                                               session.environment, nullptr, no_runtime}));
  report.footer = "aaco " + session.info.aaco_version + ". Definitions: docs/measuring.md.";
  return report;
}

Result<Report> sweep_report(const OpenSession& session) {
  AACO_ASSIGN(const Json sweep, read_json(session.path / session.info.kind.traits().document));
  return build_sweep_report(session, sweep);
}

}  // namespace aaco::report
