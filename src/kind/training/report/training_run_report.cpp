// SPDX-License-Identifier: MIT
#include "kind/training/report/training_run_report.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "analysis/model_run/latency.h"
#include "kind/training/report/gates_section.h"
#include "kind/training/report/roofline_section.h"
#include "kind/training/report/training_sections.h"
#include "report/activity/stream_chart.h"
#include "report/sections/document_report.h"
#include "report/sections/estimates.h"
#include "report/sections/kind_headline.h"
#include "report/sections/latency_plots.h"
#include "report/sections/sections.h"
#include "report/sections/tool_section.h"
#include "session/bundle/layout.h"
#include "session/trace_tables.h"

namespace aaco::report {

namespace {

constexpr size_t kMostKernels = 500;
constexpr size_t kMostKernelsOfText = 10;

Section step_latency_section(const Recording& recording, const LatencySummary* measured) {
  Section section{"latency", "Latency of a step", {}, {Paragraph{"An iteration is a step."}}};
  if (measured == nullptr) {
    section.blocks.emplace_back(ChartBlock{latency_series(recording)});
    return section;
  }
  for (plot::Chart& chart : latency_charts(recording, *measured)) {
    section.blocks.emplace_back(ChartBlock{std::move(chart)});
  }
  return section;
}

Headline headline_of(const TrainingView& view, const std::vector<Section>& sections) {
  Headline headline =
      headline_with(view.failure.empty() ? figure_words({key_figure(view.metrics, "step_p50", "median step"),
                                                         key_figure(view.metrics, "training_tokens_per_s", "tokens/s"),
                                                         key_figure(view.metrics, "mfu", "MFU")})
                                         : "no speed is told: " + view.failure,
                    sections);
  return headline;
}

// The recorded step, stream by stream; of sessions of before it was kept apart, all that was recorded.
Result<void> add_timeline(const OpenSession& session, Report& report) {
  std::error_code ignored;
  const std::filesystem::path step = session.path / layout::kStep;
  const bool has_step = std::filesystem::exists(step / layout::kTraceEvents, ignored);
  if (!has_step && !std::filesystem::exists(session.path / layout::kTraceEvents, ignored)) {
    return {};
  }
  AACO_ASSIGN(const EventTable events, read_trace_tables(has_step ? step : session.path));
  report.sections.push_back(
      {"timeline",
       "Timeline",
       {},
       {ChartBlock{stream_chart(events, has_step ? "One step on its streams" : "Recorded steps on their streams")}}});
  return {};
}

}  // namespace

Result<Report> build_training_run_report(const OpenSession& session, const Json& document) {
  AACO_ASSIGN(const TrainingRunDocument read, read_training_run(document, (session.path / layout::kTraining).string()));
  const std::vector<LatencySummary> latencies = latency_summaries(session.recording);
  const auto measured = std::find_if(latencies.begin(), latencies.end(),
                                     [](const LatencySummary& one) { return one.phase == IterationPhase::kMeasure; });
  const LatencySummary* latency = measured == latencies.end() ? nullptr : &*measured;
  const TrainingView view = training_view(read, latency);
  Report report;
  report.metrics = view.metrics;
  report.title = training_title(read);
  report.subtitle = fmt::format("Session {}, recorded {}; dispatch {}", session.info.session_id,
                                session.info.created_utc, read.request.dispatch);
  report.badges.push_back(status_badge(session.status));
  report.sections = {training_summary_section(view, status_remarks(session)), training_configuration_section(view),
                     gates_section(view.document.gates)};
  report.headline = headline_of(view, report.sections);
  if (view.failure.empty()) {
    report.sections.push_back(training_figures_section(view));
    report.sections.push_back(training_parts_section(view));
    report.sections.push_back(training_roofline_section(step_roofline(read), true));
    report.sections.push_back(training_kernels_section(view, kMostKernels));
    report.sections.push_back(training_energy_section(view));
  }
  AACO_TRY(add_timeline(session, report));
  report.sections.push_back(loss_section(view));
  if (view.failure.empty()) {
    report.sections.push_back(step_latency_section(session.recording, latency));
  }
  report.sections.push_back(training_processes_section(view));
  for (const ToolOutcome& tool : read.tools) {
    report.sections.push_back(tool_section(tool));
  }
  add_last_sections(session, "training.md", report);
  return report;
}

Result<Report> training_run_report(const OpenSession& session) {
  return report_of_document(session, build_training_run_report);
}

Report build_training_run_summary(const TrainingRunDocument& document) {
  const TrainingView view = training_view(document);
  Report report;
  report.metrics = view.metrics;
  report.title = training_title(document);
  report.subtitle = fmt::format("dispatch {}, {} steps in each of {} processes", document.request.dispatch,
                                document.request.steps, document.processes.size());
  report.sections = {training_summary_section(view, {}), training_configuration_section(view),
                     gates_section(view.document.gates)};
  report.headline = headline_of(view, report.sections);
  if (view.failure.empty()) {
    report.sections.push_back(training_parts_section(view));
    report.sections.push_back(training_roofline_section(step_roofline(document), false));
    report.sections.push_back(training_kernels_section(view, kMostKernelsOfText));
    report.sections.push_back(training_energy_section(view));
  }
  report.sections.push_back(training_processes_section(view));
  for (const ToolOutcome& tool : document.tools) {
    report.sections.push_back(tool_section(tool));
  }
  report.footer = "bundle  " + document.bundle;
  return report;
}

}  // namespace aaco::report
