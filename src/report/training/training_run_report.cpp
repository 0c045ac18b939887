// SPDX-License-Identifier: MIT
#include "report/training/training_run_report.h"

#include <algorithm>
#include <fmt/format.h>

#include "analysis/model_run/latency.h"
#include "report/sections/document_report.h"
#include "report/sections/latency_plots.h"
#include "report/sections/sections.h"
#include "report/sections/tool_section.h"
#include "report/sinks.h"
#include "report/training/roofline_section.h"
#include "report/training/training_sections.h"
#include "session/layout.h"

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

}  // namespace

Result<Report> build_training_run_report(const OpenSession& session, const Json& document) {
  AACO_ASSIGN(const TrainingRunDocument read, read_training_run(document, (session.path / layout::kTraining).string()));
  const TrainingView view = training_view(read);
  const std::vector<LatencySummary> latencies = latency_summaries(session.recording);
  const auto measured = std::find_if(latencies.begin(), latencies.end(),
                                     [](const LatencySummary& one) { return one.phase == phase::kMeasure; });
  const LatencySummary* latency = measured == latencies.end() ? nullptr : &*measured;
  Report report;
  report.title = training_title(read);
  report.subtitle = fmt::format("Session {}, recorded {}; dispatch {}", session.info.session_id,
                                session.info.created_utc, read.request.dispatch);
  report.badges.push_back(status_badge(session.status));
  report.sections = {training_summary_section(view, status_remarks(session)), training_configuration_section(view),
                     gates_section(view.document.gates)};
  if (view.failure.empty()) {
    report.sections.push_back(training_figures_section(view, latency));
    report.sections.push_back(training_parts_section(view));
    report.sections.push_back(training_roofline_section(step_roofline(read), true));
    report.sections.push_back(training_kernels_section(view, kMostKernels));
    report.sections.push_back(training_energy_section(view));
  }
  report.sections.push_back(loss_section(view));
  if (view.failure.empty()) {
    report.sections.push_back(step_latency_section(session.recording, latency));
  }
  report.sections.push_back(training_processes_section(view));
  for (const ToolOutcome& tool : read.tools) {
    report.sections.push_back(tool_section(tool));
  }
  add_last_sections(session, report);
  return report;
}

Result<Report> training_run_report(const OpenSession& session) {
  return report_of_document(session, build_training_run_report);
}

std::string training_run_text(const TrainingRunDocument& document) {
  const TrainingView view = training_view(document);
  Report report;
  report.title = training_title(document);
  report.subtitle = fmt::format("dispatch {}, {} steps in each of {} processes", document.request.dispatch,
                                document.request.steps, document.processes.size());
  report.sections = {training_summary_section(view, {}), training_configuration_section(view),
                     gates_section(view.document.gates)};
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
  return render_text(report);
}

}  // namespace aaco::report
