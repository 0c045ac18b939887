// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json.h"
#include "report/queue/clocks_text.h"
#include "report/queue/queue_document.h"
#include "report/queue/queue_report.h"
#include "report/queue/queue_sections.h"
#include "report/sections/document_report.h"
#include "report/sections/estimates.h"
#include "report/sections/latency_plots.h"
#include "report/sections/sections.h"
#include "report/sections/tool_section.h"
#include "report/values.h"
#include "session/layout.h"

namespace aaco::report {

namespace {

// Everything the sections are made of.
struct Run {
  const OpenSession& session;
  const QueueRunDocument& document;
  const QueueFigures& figures;
};

KeyFigure check_figure(const std::optional<WorkloadCheck>& check) {
  if (!check) {
    return {"check", "not made", "--no-check", Tone::kWarning};
  }
  return {"check", "right", fmt::format("{} of {} operations against the CPU", check->checked, check->operations),
          Tone::kGood};
}

// What is to be known before any figure is read.
std::vector<Block> remarks(const Run& run) {
  std::vector<Block> blocks = status_remarks(run.session);
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
  const QueueFigures& figures = run.figures;
  const std::optional<Estimate> median = figures.latency ? std::optional(figures.latency->p50_ns) : std::nullopt;
  KeyFigures key;
  if (median || !figures.iteration_ns) {
    key.figures.push_back(estimate_figure("median iteration", median, "ns", "the host waits for no single iteration"));
  } else {
    key.figures.push_back(estimate_figure("wall time per iteration", figures.iteration_ns, "ns", ""));
  }
  key.figures.push_back(estimate_figure(
      "throughput", figures.units_per_s, run.document.work.unit + "/s",
      figures.throughput_unavailable.empty() ? "nothing was measured" : figures.throughput_unavailable));
  key.figures.push_back(estimate_figure("host time to enqueue it", figures.dispatch_ns, "ns", "nothing was measured"));
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
  Section section{"figures", "Figures"};
  const QueueFigures& figures = run.figures;
  TableBlock table{.id = "figures",
                   .columns = {{"figure"}, {"value", true}, {"95 % interval"}},
                   .note = "Intervals are over processes; p95 and p99 are over all iterations."};
  if (figures.latency) {
    const LatencySummary& latency = *figures.latency;
    add_estimate_row(table, "iteration, median", latency.p50_ns, "ns", "");
    table.rows.push_back({text_cell("iteration, mean"), optional_cell(latency.mean_ns, "ns"), text_cell("")});
    add_quantile_row(table, "iteration, p95", latency.p95_ns, latency.p95_interval_ns);
    add_quantile_row(table, "iteration, p99", latency.p99_ns, latency.p99_interval_ns);
  }
  const std::string& why = figures.throughput_unavailable;
  add_estimate_row(table, "wall time per iteration", figures.iteration_ns, "ns", why);
  add_estimate_row(table, "host time to enqueue it", figures.dispatch_ns, "ns", "nothing was measured");
  add_estimate_row(table, "throughput", figures.units_per_s, run.document.work.unit + "/s", why);
  add_estimate_row(table, "throughput per stream used", figures.units_per_s_per_stream, run.document.work.unit + "/s",
                   why);
  add_estimate_row(table, "operations", figures.operations_per_s, "/s", why);
  add_estimate_row(table, "arithmetic", figures.flops_per_s, "FLOP/s", why);
  section.blocks.emplace_back(std::move(table));
  return section;
}

// Where the host waits for no iteration, what each took it to enqueue is drawn in the latencies' place.
Section latency_section_of(const Run& run) {
  if (run.figures.latency) {
    const Recording& recording = run.session.recording;
    Section section{"latency", "Latency of an iteration"};
    for (plot::Chart& chart : latency_charts(recording, *run.figures.latency)) {
      section.blocks.emplace_back(ChartBlock{std::move(chart)});
    }
    return section;
  }
  Recording enqueued;
  enqueued.facts = run.session.recording.facts;
  for (IterationRow row : run.session.recording.iterations) {
    row.phase = row.phase == phase::kDispatch ? phase::kMeasure : row.phase;
    if (row.phase == phase::kMeasure) {
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
  FactList memory{{{"most allocated at once", format_si(static_cast<double>(run.figures.peak_bytes), "B")},
                   {"allocated at the end", format_si(static_cast<double>(run.figures.allocated_bytes), "B")},
                   {"in use on the device, by all processes",
                    run.figures.reserved_bytes ? format_si(static_cast<double>(*run.figures.reserved_bytes), "B")
                                               : "no data: this backend cannot tell"}}};
  return {"processes", "Processes and memory", {}, {std::move(table), std::move(memory)}};
}

Section check_section(const std::optional<WorkloadCheck>& check) {
  Section section{"check", "Check"};
  if (!check) {
    section.blocks.emplace_back(Paragraph{"Not made (--no-check).", Tone::kWarning});
    return section;
  }
  FactList facts{{{"operations right against the CPU", fmt::format("{} of {}", check->checked, check->operations)},
                  {"of them in part", std::to_string(check->in_part)},
                  {"outputs as those of the serial run",
                   fmt::format("{}{}", check->outputs, check->bitwise ? ", bit by bit" : ", within tolerance")},
                  {"largest error, of what is allowed", format_json(check->worst_error)}}};
  if (!check->worst_operation.empty()) {
    facts.facts.push_back({"in", check->worst_operation});
  }
  section.blocks.emplace_back(std::move(facts));
  return section;
}

Section clocks_section(const std::vector<DeviceClocks>& devices) {
  FactList facts;
  for (const DeviceClocks& clocks : devices) {
    facts.facts.push_back({clocks.device, clocks_text(clocks)});
  }
  return {"clocks", "Clocks while it measured", {}, {std::move(facts)}};
}

}  // namespace

Result<Report> build_queue_run_report(const OpenSession& session, const Json& document, const EventTable* events) {
  const std::string source = (session.path / layout::kQueue).string();
  AACO_ASSIGN(const QueueRunDocument read, read_queue_run(document, source));
  const QueueFigures figures = figures_of(read, session.recording);
  const Run run{session, read, figures};
  Report report;
  report.title = fmt::format("{} on {}, {}", read.request.workload, devices_of(read),
                             counted(read.request.streams, "stream", "streams"));
  report.subtitle = fmt::format("Session {}, recorded {}; dispatch {}, synchronisation {}", session.info.session_id,
                                session.info.created_utc, read.request.dispatch, read.request.sync_mode);
  report.badges.push_back(status_badge(session.status));
  report.sections = {summary_of(run),         configuration_of(run),  figures_section(run),
                     latency_section_of(run), processes_section(run), check_section(read.verification)};
  if (!read.clocks.empty()) {
    report.sections.push_back(clocks_section(read.clocks));
  }
  for (const ToolOutcome& tool : read.tools) {
    report.sections.push_back(tool_section(tool));
  }
  if (read.profile) {
    report.sections.push_back(workload_timeline_section(read.profile->timeline, read.profile->overhead));
  } else if (events != nullptr) {
    report.sections.push_back(device_activity_section(*events));
  }
  add_last_sections(session, report);
  return report;
}

}  // namespace aaco::report
