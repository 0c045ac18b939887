// SPDX-License-Identifier: MIT
#include "kind/sweep/report/model_sweep_report.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>

#include "analysis/model_run/results.h"
#include "analysis/model_run/scaling.h"
#include "base/format.h"
#include "kind/sweep/report/model_sweep_plots.h"
#include "kind/sweep/report/sweep_members.h"
#include "report/sections/document_report.h"
#include "report/sections/kind_headline.h"
#include "report/sections/sections.h"
#include "report/values.h"
#include "session/bundle/layout.h"

namespace aaco::report {

namespace {

constexpr const char* kRate = "samples/s";
constexpr const char* kNoElapsedTime = "not recorded: how long the iterations took together";

constexpr const char* kNeedsBatch = "a batch whose run is complete";
constexpr const char* kNeedsBatches = "two batches whose runs are complete";

constexpr SubjectMetric<ScalingRow> kBatchMetrics[] = {
    {{"latency_p50", "p50", "ns", "median over processes of each process's median", kNeedsBatch, "slow iterations"},
     [](const ScalingRow& row) { return figure_or(std::optional(row.latency_ns), ""); }},
    {{"latency_per_sample", "per sample", "ns", "p50 / batch", kNeedsBatch, "slow iterations"},
     [](const ScalingRow& row) { return figure_or(std::optional(row.per_sample_ns), ""); }},
    {{"throughput", "throughput", kRate, "iterations * batch / elapsed time", kNeedsBatch,
      "which iterations were slow"},
     [](const ScalingRow& row) { return figure_or(row.samples_per_s, kNoElapsedTime); }},
    {{"gain_per_doubling", "gain per doubling", "%",
      "growth of throughput from the batch before, for each doubling of the batch", kNeedsBatches, "what limits it"},
     [](const ScalingRow& row) {
       return percent_figure(row.gain_per_doubling, row.gain_interval, "no smaller batch has a throughput");
     }},
};

constexpr SubjectMetric<Scaling> kScalingMetrics[] = {
    {{"saturation_batch", "saturated from batch", "1", "first batch from which the next doubling gains less than 10 %",
      kNeedsBatches, "what limits it"},
     [](const Scaling& scaling) {
       const std::optional<int64_t>& batch = scaling.saturation_batch;
       return figure_or(batch ? std::optional(static_cast<double>(*batch)) : std::nullopt, scaling.saturation);
     }},
    {{"batch_exponent", "exponent of latency over batch", "1", "slope of ln latency over ln batch", kNeedsBatches,
      "where it changes"},
     [](const Scaling& scaling) { return figure_or(scaling.batch_exponent, "needs two batches"); }},
};

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
          ? KeyFigure{"saturated from batch", count_cell(*scaling.saturation_batch), scaling.saturation}
          : KeyFigure{"saturation", missing_cell("not found"), scaling.saturation};
  const KeyFigure highest =
      best->samples_per_s ? KeyFigure{"highest throughput", estimate_cell(best->samples_per_s, kRate), batch(*best)}
                          : KeyFigure{"highest throughput", missing_cell("no data"), kNoElapsedTime};
  KeyFigures figures{
      {highest, saturation, {"least latency", estimate_cell(quickest->latency_ns, "ns"), batch(*quickest)}}};
  if (scaling.batch_exponent) {
    figures.figures.push_back({"exponent of latency over batch", number_cell(*scaling.batch_exponent, "1"),
                               "0: it does not grow; 1: as the batch does"});
  }
  return figures;
}

Section summary_of(const ModelSweepDocument& sweep, std::vector<Block> remarks) {
  const Scaling& scaling = sweep.scaling;
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
  add_remarks(std::move(remarks), sweep.stopped_by, section);
  return section;
}

// The highest throughput, and from where on there is no more to gain.
Headline headline_of(const Scaling& scaling, const std::vector<Section>& sections) {
  return headline_with(
      scaling.rows.empty() ? "no batch was measured to its end" : figure_words(figures_of(scaling).figures), sections);
}

const ModelSweepPoint* point_of(const ModelSweepDocument& sweep, int64_t batch) {
  const auto point = std::ranges::find(sweep.points, batch, &ModelSweepPoint::batch);
  return point == sweep.points.end() ? nullptr : &*point;
}

std::string session_of(const ModelSweepPoint& point) { return std::filesystem::path(point.bundle).filename().string(); }

TableBlock batch_table(const ModelSweepDocument& sweep) {
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
  for (const ScalingRow& row : sweep.scaling.rows) {
    const ModelSweepPoint* const point = point_of(sweep, row.batch);
    table.rows.push_back({count_cell(row.batch), interval_cell(row.latency_ns.value, row.latency_ns.interval, "ns"),
                          number_cell(row.per_sample_ns, "ns"), estimate_cell(row.samples_per_s, kRate),
                          percent_cell(row.gain_per_doubling, row.gain_interval, ""),
                          text_cell(point != nullptr ? point->bottleneck_class : ""),
                          text_cell(point != nullptr ? session_of(*point) : "")});
  }
  return table;
}

// The batches that have figures, then those without.
std::vector<SweepMember> members_of(const ModelSweepDocument& sweep) {
  std::vector<SweepMember> members;
  for (const ScalingRow& row : sweep.scaling.rows) {
    members.push_back({fmt::format("batch {}", row.batch), "", {}, metric_rows(kBatchMetrics, row)});
  }
  for (const ModelSweepPoint& point : sweep.points) {
    if (std::ranges::find(sweep.scaling.rows, point.batch, &ScalingRow::batch) == sweep.scaling.rows.end()) {
      const std::string status = session_status_name(point.status);
      members.push_back({fmt::format("batch {}", point.batch),
                         fmt::format("{}, {}", status.empty() ? "no status" : status, session_of(point)),
                         {point.bundle},
                         metric_rows(kBatchMetrics, ScalingRow())});
    }
  }
  return members;
}

// Of a sweep of before elapsed times were kept: from the iterations that the batch's own session recorded. The bundles
// of a sweep lie beside each other, wherever the folder was moved to.
std::optional<Estimate> recorded_elapsed(const OpenSession& session, const ModelSweepPoint& point) {
  const std::string name = session_of(point);
  if (name.empty()) {
    return std::nullopt;
  }
  const Result<OpenSession> run = open_session(session.path.parent_path() / name);
  const bool same = run && run->info.session_id == name && run->recording.facts.batch == point.batch;
  return same ? elapsed_of(analyse(run->recording), point.batch) : std::nullopt;
}

Scaling with_elapsed(const OpenSession& session, const ModelSweepDocument& sweep) {
  std::vector<ScalingPoint> points;
  for (const ScalingRow& row : sweep.scaling.rows) {
    const ModelSweepPoint* const point = point_of(sweep, row.batch);
    points.push_back({row.batch, row.latency_ns,
                      row.elapsed_ns || point == nullptr ? row.elapsed_ns : recorded_elapsed(session, *point)});
  }
  return scaling_of(points);
}

Result<Report> build_report(const OpenSession& session, const Json& document) {
  AACO_ASSIGN(ModelSweepDocument sweep, read_model_sweep(document, (session.path / layout::kSweep).string()));
  return build_model_sweep_report(session, std::move(sweep));
}

}  // namespace

Report build_model_sweep_report(const OpenSession& session, ModelSweepDocument sweep) {
  sweep.scaling = with_elapsed(session, sweep);
  const Scaling& scaling = sweep.scaling;
  const RunFacts& facts = session.recording.facts;
  Report report;
  report.title = fmt::format("{} on {} over batch sizes", facts.model_name, facts.backend);
  report.subtitle = fmt::format("Sweep {}, recorded {}, {}", session.info.session_id, session.info.created_utc,
                                facts.precision_executed);
  report.badges.push_back(status_badge(session.status));
  report.sections.push_back(summary_of(sweep, status_remarks(session)));
  report.headline = headline_of(scaling, report.sections);
  Section throughput{"batches", "By batch"};
  throughput.blocks = {ChartBlock{throughput_by_batch(scaling)}, ChartBlock{latency_by_batch(scaling)},
                       ChartBlock{latency_per_sample(scaling)}, ChartBlock{gain_by_batch(scaling)}};
  if (!scaling.rows.empty()) {
    throughput.blocks.emplace_back(batch_table(sweep));
  }
  const std::vector<SweepMember> members = members_of(sweep);
  add_lost_members("Batches without a figure", members, throughput);
  report.sections.push_back(std::move(throughput));
  report.metrics = metric_rows(kScalingMetrics, scaling);
  std::ranges::move(member_metrics(members), std::back_inserter(report.metrics));
  add_last_sections(session, "models.md", report);
  return report;
}

Result<Report> model_sweep_report(const OpenSession& session) { return report_of_document(session, build_report); }

}  // namespace aaco::report
