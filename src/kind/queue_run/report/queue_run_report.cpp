// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json/json.h"
#include "kind/queue_run/analysis/queue_run_metrics.h"
#include "kind/queue_run/report/queue_document.h"
#include "kind/queue_run/report/queue_report.h"
#include "kind/queue_run/report/queue_sections.h"
#include "report/activity/stream_chart.h"
#include "report/headline/until_words.h"
#include "report/sections/clocks_text.h"
#include "report/sections/document_report.h"
#include "report/sections/estimates.h"
#include "report/sections/kind_headline.h"
#include "report/sections/latency_plots.h"
#include "report/sections/sections.h"
#include "report/sections/tool_section.h"
#include "report/trace_page/trace_charts.h"
#include "report/values.h"
#include "session/bundle/layout.h"

namespace aaco::report {

namespace {

// Everything the sections are made of.
struct Run {
  const OpenSession* session;  // null: the document alone
  const QueueRunDocument& document;
  const QueueFigures& figures;
  std::vector<MetricRow> metrics;
};

Run run_of(const OpenSession* session, const QueueRunDocument& document, const QueueFigures& figures) {
  return {session, document, figures, queue_run_metrics(figures, document.work, document.processes)};
}

KeyFigure check_figure(const std::optional<WorkloadCheck>& check) {
  if (!check) {
    return {"check", "not made", "--no-check", Tone::kWarning};
  }
  return {"check", "right", fmt::format("{} of {} operations against the CPU", check->checked, check->operations),
          Tone::kGood};
}

// The iteration's time and what it makes of the device.
Headline headline_of(const Run& run, const std::vector<Section>& sections) {
  const bool by_wall = !run.figures.latency && run.figures.iteration_ns;
  Headline headline =
      headline_with(fmt::format("{} on {}: {}", run.document.request.workload, devices_of(run.document),
                                figure_words({by_wall ? key_figure(run.metrics, "iteration_wall_time")
                                                      : key_figure(run.metrics, "iteration_p50", "median iteration"),
                                              key_figure(run.metrics, "units_per_s")})),
                    sections);
  if (run.document.until) {
    put_until(*run.document.until, headline);
  }
  return headline;
}

// What is to be known before any figure is read.
std::vector<Block> remarks(const Run& run) {
  std::vector<Block> blocks = run.session == nullptr ? std::vector<Block>() : status_remarks(*run.session);
  const QueueRunDocument& document = run.document;
  const auto warn = [&](const std::string& text) { blocks.emplace_back(Paragraph{text, Tone::kWarning}); };
  if (document.work.used_streams < document.work.streams) {
    warn(fmt::format("The workload used {} of the {} streams that it was given.", document.work.used_streams,
                     document.work.streams));
  }
  if (!document.verification) {
    warn("Nothing was checked (--no-check): whether the workload computes what it should is not known.");
  }
  const auto unsteady =
      std::count_if(document.processes.begin(), document.processes.end(), [](const auto& p) { return !p.stationary; });
  if (unsteady > 0) {
    warn(fmt::format("The iterations of {} of {} show a trend: a longer --warmup may change the figures.", unsteady,
                     counted(document.processes.size(), "process", "processes")));
  }
  if (document.communicator.emulated) {
    blocks.emplace_back(Paragraph{"Collectives, where the workload has any, are emulated on one device."});
  }
  if (document.profile && document.profile->dropped > 0) {
    blocks.emplace_back(Paragraph{fmt::format("The activity collector dropped {}: the trace has gaps.",
                                              counted(document.profile->dropped, "record", "records")),
                                  Tone::kBad});
  }
  for (const std::string& note : document.notes) {
    blocks.emplace_back(Paragraph{note});
  }
  return blocks;
}

Section summary_of(const Run& run) {
  Section section{"summary", "Summary"};
  KeyFigures key;
  const bool by_wall = !run.figures.latency && run.figures.iteration_ns;
  key.figures = {by_wall ? key_figure(run.metrics, "iteration_wall_time")
                         : key_figure(run.metrics, "iteration_p50", "median iteration"),
                 key_figure(run.metrics, "units_per_s"), key_figure(run.metrics, "enqueue_time")};
  key.figures.push_back({"streams used", used_of(run.document.work.used_streams, run.document.work.streams),
                         run.document.work.kernels == 1
                             ? "1 kernel an iteration"
                             : fmt::format("{} kernels an iteration", format_count(run.document.work.kernels))});
  key.figures.push_back(check_figure(run.document.verification));
  section.blocks.emplace_back(std::move(key));
  for (Block& remark : remarks(run)) {
    section.blocks.push_back(std::move(remark));
  }
  return section;
}

Section configuration_of(const Run& run) {
  const QueueRequest& request = run.document.request;
  const std::string& library = run.document.communicator.library;
  FactList facts{
      {{"workload", request.workload},
       {"parameters", parameters_of(run.document)},
       {"devices", devices_of(run.document)},
       {"streams", fmt::format("{} a device", request.streams)},
       {"dispatch", request.dispatch},
       {"synchronisation", request.sync_mode},
       {"iterations",
        fmt::format("{} after {} of warm-up, in {}", request.iterations, request.warmup,
                    request.processes == 1 ? "one process" : fmt::format("each of {} processes", request.processes))},
       {"collectives", library.empty() ? "not known" : library},
       {"an iteration",
        fmt::format("{} kernels, {}, at least {} moved", format_count(run.document.work.kernels),
                    format_si(run.document.work.flops, "FLOP"), format_si(run.document.work.ideal_bytes, "B"))}}};
  for (const DeviceFacts& device : run.document.devices) {
    facts.facts.push_back({device.id, fmt::format("{}, {}, {}, {}", device.architecture, device.driver, device.runtime,
                                                  device.gemm_library)});
  }
  return {"configuration", "Configuration", {}, {std::move(facts)}};
}

Section figures_section(const Run& run) {
  constexpr const char* kNote = "Intervals are over processes; p95 and p99 are over all iterations.";
  return {"figures", "Figures", {}, metric_blocks("figures", run.metrics, kNote)};
}

// Where the host waits for no iteration, what each took it to enqueue is drawn in the latencies' place.
Section latency_section_of(const Run& run) {
  if (run.figures.latency) {
    const Recording& recording = run.session->recording;
    Section section{"latency", "Latency of an iteration"};
    for (plot::Chart& chart : latency_charts(recording, *run.figures.latency)) {
      section.blocks.emplace_back(ChartBlock{std::move(chart)});
    }
    return section;
  }
  Recording enqueued;
  enqueued.facts = run.session->recording.facts;
  for (IterationRow row : run.session->recording.iterations) {
    row.phase = row.phase == IterationPhase::kDispatch ? IterationPhase::kMeasure : row.phase;
    if (row.phase == IterationPhase::kMeasure) {
      enqueued.iterations.push_back(std::move(row));
    }
  }
  plot::Chart series = latency_series(enqueued);
  series.id = "enqueue-series";
  series.title = "Host time to enqueue each iteration";
  series.y.title = "time to enqueue";
  return {"latency",
          "Time to enqueue",
          {},
          {Paragraph{"The host waits for no single iteration (--sync-mode): what is timed of each is its enqueueing."},
           ChartBlock{std::move(series)}}};
}

Section processes_section(const Run& run) {
  TableBlock table{.id = "queue-processes",
                   .columns = {{"process", true},
                               {"set up", true},
                               {"iterations", true},
                               {"steady"},
                               {"median iteration", true},
                               {"to enqueue, median", true},
                               {"throughput", true},
                               {"memory, peak", true}},
                   .sortable = true};
  const bool waits = run.figures.throughput_unavailable.empty();
  for (const QueueProcess& one : run.document.processes) {
    table.rows.push_back({count_cell(one.process), number_cell(one.load_ms, "ms"), count_cell(one.iterations),
                          text_cell(one.stationary ? "yes" : "no", one.stationary ? Tone::kNeutral : Tone::kWarning),
                          optional_cell(one.p50_ns, "ns"), optional_cell(one.dispatch_p50_ns, "ns"),
                          optional_cell(waits ? units_per_s(one) : std::nullopt, run.document.work.unit + "/s"),
                          number_cell(static_cast<double>(one.peak_bytes), "B")});
  }
  FactList memory{{{"most allocated at once", number_cell(static_cast<double>(run.figures.peak_bytes), "B")},
                   {"allocated at the end", number_cell(static_cast<double>(run.figures.allocated_bytes), "B")},
                   {"in use on the device, by all processes",
                    run.figures.reserved_bytes ? number_cell(static_cast<double>(*run.figures.reserved_bytes), "B")
                                               : missing_cell("no data: this backend cannot tell")}}};
  return {"processes", "Processes and memory", {}, {std::move(table), std::move(memory)}};
}

Section check_section(const std::optional<WorkloadCheck>& check) {
  Section section{"check", "Check"};
  if (!check) {
    section.blocks.emplace_back(Paragraph{"Not made (--no-check).", Tone::kWarning});
    return section;
  }
  FactList facts{{{"operations right against the CPU", fmt::format("{} of {}", check->checked, check->operations)},
                  {"of them in part", count_cell(check->in_part)},
                  {"outputs as those of the serial run",
                   fmt::format("{}{}", check->outputs, check->bitwise ? ", bit by bit" : ", within tolerance")},
                  {"largest error, of what is allowed", number_cell(check->worst_error, "1")}}};
  if (!check->worst_operation.empty()) {
    facts.facts.push_back({"in", check->worst_operation});
  }
  section.blocks.emplace_back(std::move(facts));
  return section;
}

std::string title_of(const QueueRunDocument& document) {
  return fmt::format("{} on {}, {}", document.request.workload, devices_of(document),
                     counted(document.request.streams, "stream", "streams"));
}

// What the devices did over the whole recording, and stream by stream.
Section timeline_section(const EventTable& events) {
  Section section{"timeline", "Timeline"};
  for (plot::Chart& chart : strip_charts(events, TraceSummary())) {
    section.blocks.emplace_back(ChartBlock{std::move(chart)});
  }
  section.blocks.emplace_back(ChartBlock{stream_chart(events, "What ran on each stream")});
  return section;
}

// After what the host measured.
void add_device_sections(const QueueRunDocument& document, const EventTable* events, Report& report) {
  if (!document.clocks.empty()) {
    report.sections.push_back({"clocks", "Clocks while it measured", {}, {clocks_table(document.clocks)}});
  }
  for (const ToolOutcome& tool : document.tools) {
    report.sections.push_back(tool_section(tool));
  }
  if (events != nullptr) {
    report.sections.push_back(timeline_section(*events));
  }
  if (document.profile) {
    report.sections.push_back(workload_timeline_section(document.profile->timeline, document.profile->overhead));
  } else if (events != nullptr) {
    report.sections.push_back(device_activity_section(*events));
  }
}

}  // namespace

Result<Report> build_queue_run_report(const OpenSession& session, const Json& document, const EventTable* events) {
  const std::string source = (session.path / layout::kQueue).string();
  AACO_ASSIGN(const QueueRunDocument read, read_queue_run(document, source));
  const QueueFigures figures = figures_of(read, session.recording);
  const Run run = run_of(&session, read, figures);
  Report report;
  report.title = title_of(read);
  report.subtitle = fmt::format("Session {}, recorded {}; dispatch {}, synchronisation {}", session.info.session_id,
                                session.info.created_utc, read.request.dispatch, read.request.sync_mode);
  report.badges.push_back(status_badge(session.status));
  report.metrics = run.metrics;
  report.sections = {summary_of(run),         configuration_of(run),  figures_section(run),
                     latency_section_of(run), processes_section(run), check_section(read.verification)};
  report.headline = headline_of(run, report.sections);
  add_device_sections(read, events, report);
  add_last_sections(session, "queues.md", report);
  return report;
}

Report build_queue_run_summary(const QueueRunDocument& document) {
  const Run run = run_of(nullptr, document, document.figures);
  Report report{.title = title_of(document)};
  report.subtitle =
      fmt::format("dispatch {}, synchronisation {}", document.request.dispatch, document.request.sync_mode);
  report.metrics = run.metrics;
  report.sections = {summary_of(run), configuration_of(run), figures_section(run),
                     check_section(document.verification)};
  report.headline = headline_of(run, report.sections);
  add_device_sections(document, nullptr, report);
  report.footer = "bundle  " + document.bundle;
  return report;
}

}  // namespace aaco::report
