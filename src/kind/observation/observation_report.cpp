// SPDX-License-Identifier: MIT
#include "kind/observation/observation_report.h"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "base/format.h"
#include "base/text/characters.h"
#include "base/text/shell_words.h"
#include "kind/observation/captured_places.h"
#include "kind/observation/host_figures.h"
#include "kind/observation/observation_devices.h"
#include "kind/observation/observation_gaps.h"
#include "kind/trace/trace_roofs.h"
#include "kind/trace/trace_source.h"
#include "observe/host_files.h"
#include "report/host/host_section.h"
#include "report/sections/document_report.h"
#include "report/sections/kind_headline.h"
#include "report/sections/sections.h"
#include "report/trace/values.h"
#include "report/trace_page/trace_page.h"
#include "report/values.h"
#include "session/bundle/layout.h"

namespace aaco::report {

namespace {

namespace fs = std::filesystem;

bool has_events(const fs::path& bundle) {
  std::error_code ignored;
  return fs::exists(bundle / layout::kTraceEvents, ignored);
}

std::string program_name(const ObservationDocument& document) {
  return printable(fs::path(document.command.front()).filename().string());
}

std::string end_text(const ObservationDocument& document) {
  if (document.is_recovered) {
    return "not known: its observer was killed, and this is what its journals hold";
  }
  if (!document.attached_by.empty()) {
    return document.outlived ? "it runs on" : "it ended by itself";
  }
  return document.signal != 0 ? fmt::format("ended by signal {}", document.signal)
                              : fmt::format("exit code {}", document.exit_code.value_or(0));
}

std::string interrupt_text(const ObservationDocument& document) {
  switch (document.interrupt_signal) {
    case SIGTERM:
      return ", after SIGTERM";
    case SIGHUP:
      return ", after SIGHUP";
    default:  // sessions of earlier versions name no signal
      return document.interrupted ? ", after Ctrl-C" : "";
  }
}

std::string process_text(const ProcessRecording& process) {
  switch (process.state) {
    case RecordingState::kWhole:
      return "recorded";
    case RecordingState::kCut:
      if (!process.note.empty()) {
        return "cut: " + process.note;
      }
      return "killed, or left without its exit handlers: what came after its last flush is missing (0.25 s)";
    case RecordingState::kStillRunning:
      return "still ran when recording ended: what came after its last flush is missing (0.25 s)";
    case RecordingState::kNotAvailable:
    case RecordingState::kOtherProfiler:
      return "not recorded: " + process.note;
  }
  return "";
}

// Without the folders of its words, so that a narrow column shows which program it is.
std::string short_command(std::string_view command) {
  std::string text;
  for (const std::string_view word : split(command, ' ')) {
    const size_t name = word.starts_with('/') ? word.rfind('/') + 1 : 0;
    text += fmt::format("{}{}", text.empty() ? "" : " ", name < word.size() ? word.substr(name) : word);
  }
  return text;
}

TableBlock process_table(const ObservationDocument& document) {
  TableBlock table{.id = "processes",
                   .title = "Processes that used CUDA",
                   .columns = {{"pid"}, {"program", false, "", 40}, {"events", true}, {"missing", true}, {"state"}}};
  for (const ProcessRecording& process : document.processes) {
    const std::string rank = process.rank.rank ? fmt::format("rank {}: ", *process.rank.rank) : "";
    table.rows.push_back({text_cell(std::to_string(process.pid)),
                          text_cell(rank + printable(short_command(process.program))),
                          count_cell(static_cast<int64_t>(process.events)),
                          count_cell(static_cast<int64_t>(process.lost + process.dropped + process.beyond_limit)),
                          text_cell(printable(process_text(process)))});
  }
  return table;
}

void add_warnings(const ObservationDocument& document, Section& section) {
  const auto warn = [&](std::string text) { section.blocks.emplace_back(Paragraph{std::move(text), Tone::kWarning}); };
  for (const ProcessRecording& process : document.processes) {
    if (process.other_since_ns) {
      warn(
          fmt::format("process {}: another profiler (torch.profiler?) took its records over {} after its start; "
                      "no GPU activity after that is in this session",
                      process.pid, duration_text(*process.other_since_ns - process.from_ns)));
    }
    for (const ObservationGap& gap : process.gaps) {
      warn(fmt::format(
          "process {}: another profiler (torch.profiler?) had its records from {} to {} after its start; "
          "no GPU activity of that time is in this session",
          process.pid, duration_text(gap.from_ns - process.from_ns), duration_text(gap.until_ns - process.from_ns)));
    }
    if (process.open_ranges > 0) {
      warn(fmt::format("process {}: {} {} of NVTX had not ended; the timeline shows where {} began", process.pid,
                       format_count(static_cast<int64_t>(process.open_ranges)),
                       process.open_ranges == 1 ? "range" : "ranges", process.open_ranges == 1 ? "it" : "they"));
    }
    if (!process.spans.empty()) {
      section.blocks.emplace_back(Paragraph{budget_text(document, process)});
    }
    if (!process.rank.conflict.empty()) {
      warn(fmt::format("process {}: rank {} by {}, though {}", process.pid, process.rank.rank.value_or(0),
                       process.rank.variable, process.rank.conflict));
    }
    if (process.lost > 0) {
      warn(fmt::format("process {}: {} events lost, since its ring was full", process.pid,
                       format_count(static_cast<int64_t>(process.lost))));
    }
  }
  if (document.whole_graphs && document.has_device_plane) {
    section.blocks.emplace_back(Paragraph{
        "Each replay of a CUDA graph is one record (--graphs whole): it counts as one kernel, and as busy from "
        "its first node to its last"});
  }
  for (const std::string& session : document.inner_sessions) {
    section.blocks.emplace_back(
        Paragraph{fmt::format("An observer within the command wrote session {}", printable(session))});
  }
  if (document.limit_reached) {
    warn(fmt::format("--limit of {} reached: the oldest events are kept, and recording stopped there",
                     shown_text(number_cell(static_cast<double>(document.limit_bytes), "B"))));
  }
  for (const std::string& plane : document.unrecorded_planes) {
    warn(printable(plane));
  }
  for (const std::string& problem : document.problems) {
    warn(printable(problem));
  }
}

std::string attached_text(const ObservationDocument& document) {
  if (document.attached_by == kAttachedByDormant) {
    return "woken in the program, without ptrace";
  }
  if (document.attached_by == kAttachedToHostOnly) {
    return "seen from outside: nothing was loaded into the program";
  }
  return fmt::format("attached by ptrace: its threads were stopped {} {}, {} in all", document.thread_stops,
                     document.thread_stops == 1 ? "time" : "times", duration_text(document.stopped_thread_ns));
}

HostAnswer host_answer_of(const ObservationDocument& document) {
  const double wall_s = static_cast<double>(document.to_ns - document.from_ns) / 1e9;
  // What the command's end tells is of all its time: not where recording stopped before.
  const bool tells_end = document.user_seconds && document.system_seconds && !document.stopped_ns;
  const std::optional<double> busy_s =
      tells_end ? std::optional(*document.user_seconds + *document.system_seconds) : std::nullopt;
  return document.host ? host_answer(*document.host, wall_s, busy_s, document.pid) : HostAnswer();
}

// "train.py kept 1.6 of 2 processors busy"
std::string host_headline(const ObservationDocument& document) {
  const std::string processors = host_answer_of(document).processors;
  return processors.empty() ? "No work on a GPU was recorded"
                            : fmt::format("{} kept {}", program_name(document), processors);
}

void add_host_facts(const ObservationDocument& document, FactList& facts) {
  const HostAnswer answer = host_answer_of(document);
  if (!answer.processors.empty()) {
    facts.facts.push_back({"host", answer.processors});
  }
  if (!answer.main_thread.empty()) {
    facts.facts.push_back({"main thread", answer.main_thread});
  }
  facts.facts.push_back({"memory", memory_text(*document.host, !document.attached_by.empty())});
  facts.facts.push_back({"sampling", sampling_text(*document.host)});
}

bool sees_no_nvtx(const ObservationDocument& document) {
  return std::none_of(document.processes.begin(), document.processes.end(),
                      [](const ProcessRecording& process) { return process.nvtx_libraries > 0; });
}

FactList command_facts(const ObservationDocument& document) {
  const double wall_s = static_cast<double>(document.to_ns - document.from_ns) / 1e9;
  FactList facts{{{"command", printable(shell_command(document.command))},
                  {"end", fmt::format("{}{}", end_text(document), interrupt_text(document))}}};
  if (document.is_recovered) {
    facts.facts.push_back(
        {"time", document.processes.empty() ? "not known" : fmt::format("{:.3f} s to its last record", wall_s)});
  } else if (document.attached_by.empty()) {
    const std::string peak =
        document.peak_memory_bytes
            ? "; peak memory " + shown_text(number_cell(static_cast<double>(*document.peak_memory_bytes), "B"))
            : "";
    facts.facts.push_back(
        {"time", fmt::format("{:.3f} s; processors: {:.3f} s user, {:.3f} s system{}", wall_s,
                             document.user_seconds.value_or(0), document.system_seconds.value_or(0), peak)});
  } else {
    facts.facts.push_back({"time", fmt::format("{:.3f} s, {}", wall_s, attached_text(document))});
  }
  if (document.host) {
    add_host_facts(document, facts);
  }
  if (const uint64_t events = document.events(); events > 0) {
    const auto cost = document.collector_ns_per_event();
    facts.facts.push_back(
        {"cost", fmt::format("{} and {:.0f} B of the journal an event, {} {}",
                             cost ? format_duration_ns(*cost) + " of the collector"
                                  : "time of the collector not known (the program ended before it was told)",
                             document.bytes_per_event().value_or(0), format_count(static_cast<int64_t>(events)),
                             events == 1 ? "event" : "events")});
  }
  if (document.attached_by == kAttachedByPtrace && sees_no_nvtx(document)) {
    facts.facts.push_back({"NVTX",
                           "not seen: libraries look for an observer when they first call NVTX, and none was there "
                           "(aaco observe --dormant is there from the start)"});
  }
  if (const auto range_ns = document.ns_per_range()) {
    facts.facts.push_back({"ranges", fmt::format("{} in the program's threads for each NVTX range or mark",
                                                 format_duration_ns(*range_ns))});
  }
  return facts;
}

// The gravest of both.
Headline with_quality(Headline headline, const Headline& other) {
  if (other.quality_tone > headline.quality_tone) {
    headline.quality = other.quality;
    headline.quality_tone = other.quality_tone;
  }
  return headline;
}

// Where the threads of all observed processes waited, and who released them.
std::optional<Section> observed_threads(const Recording& recording) {
  const CollectedRows& rows = recording.collected;
  std::set<int64_t> pids;
  for (const OffCpuRow& row : rows.rows<OffCpuRow>()) {
    pids.insert(row.process_id);
  }
  Section section{"host", "Kernel: threads and processors", {}, {}};
  add_kernel_source(recording.planes, section);
  if (pids.empty() && section.blocks.empty()) {
    return std::nullopt;
  }
  add_off_cpu_graphs(rows, {pids.begin(), pids.end()}, section);
  return section;
}

Result<Report> report_in(const OpenSession& session, const Json& json, const TraceDetail& detail) {
  AACO_ASSIGN(const ObservationDocument document,
              read_observation(json, (session.path / layout::kObservation).string()));
  AACO_ASSIGN(const RoofSources roofs, imports::load_roofs({}));
  imports::LoadedTrace trace;
  Report report;
  if (has_events(session.path)) {
    AACO_ASSIGN(trace, imports::load_trace({{session.path.string()}, ""}));
    AACO_TRY(expect_analysis_memory(trace.events));
  }
  const TraceSummary summary = summarise_trace(trace.events, roofs);
  if (has_events(session.path)) {
    report = build_trace_report(trace.origin, trace.events, summary, detail);
  }
  report.title = fmt::format("{}, observed", program_name(document));
  report.subtitle = fmt::format("Session {}, recorded {}", session.info.session_id, session.info.created_utc);
  report.badges.push_back(status_badge(session.status));
  Section answer = observation_answer(document, trace.events, summary);
  add_blocked_launches(trace.events, summary, session.recording.collected, answer);
  const std::vector<Block> remarks = status_remarks(session);
  answer.blocks.insert(answer.blocks.begin(), remarks.begin(), remarks.end());
  if (report.headline.empty()) {
    report.headline = headline_with(host_headline(document), {answer});
  } else {
    report.headline = with_quality(std::move(report.headline), headline_with("", {answer}));
  }
  report.sections.insert(report.sections.begin(), std::move(answer));
  if (std::optional<Section> host = observed_threads(session.recording)) {
    report.sections.push_back(std::move(*host));
  }
  add_last_sections(session, "observe.md", report);
  return report;
}

}  // namespace

Section observation_answer(const ObservationDocument& document, const EventTable& events, const TraceSummary& summary) {
  Section section{"observation", "What was observed"};
  if (document.processes.empty()) {
    std::string nothing = nothing_text(document);
    nothing.front() = static_cast<char>(std::toupper(nothing.front()));
    const std::string host = host_answer_of(document).processors;
    const std::string gaps = gaps_text(document);
    section.blocks.emplace_back(Paragraph{
        fmt::format("{}{}: nothing is known of a GPU here.{}", host.empty() ? "" : host_headline(document) + ". ",
                    nothing, gaps.empty() ? "" : fmt::format(" Of what was recorded: {}.", gaps))});
  } else if (summary.devices.empty()) {
    section.blocks.emplace_back(Paragraph{"No work on a GPU was recorded.", Tone::kWarning});
  }
  add_devices(document, events, summary, section);
  add_captured_places(document, events, section);
  section.blocks.emplace_back(command_facts(document));
  if (document.host) {
    section.blocks.emplace_back(thread_table(*document.host));
  }
  if (!document.processes.empty()) {
    section.blocks.emplace_back(process_table(document));
  }
  add_warnings(document, section);
  return section;
}

Result<Report> observation_report(const OpenSession& session) {
  return report_of_document(session, [](const OpenSession& opened, const Json& json) {
    return report_in(opened, json, {TraceDetail::kRows, false});
  });
}

Result<Report> exact_observation_report(const OpenSession& session) {
  return report_of_document(
      session, [](const OpenSession& opened, const Json& json) { return report_in(opened, json, {SIZE_MAX, true}); });
}

}  // namespace aaco::report
