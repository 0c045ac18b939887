// SPDX-License-Identifier: MIT
// aaco observe: any program, unchanged, and what it did on its GPUs.
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command/command.h"

#include "analysis/timeline/trace_summary.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/side_note.h"
#include "base/text/characters.h"
#include "base/text/number_text.h"
#include "device/observe_variables.h"
#include "kind/observation/killed_observation.h"
#include "kind/observation/observation_report.h"
#include "kind/observation/observation_run.h"
#include "kind/trace/trace_roofs.h"
#include "kind/trace/trace_source.h"
#include "report/sinks.h"
#include "report/trace_page/trace_report.h"
#include "session/catalog/catalog.h"

namespace aaco {

namespace {

// The profiler that was there first has the records, so that there is nothing to say about the GPU.
std::optional<Error> other_profiler(const ObservationDocument& document) {
  for (const ProcessRecording& process : document.processes) {
    if (process.state == RecordingState::kOtherProfiler) {
      return Error{ErrorKind::kUnavailable,
                   fmt::format("process {} was not recorded: another profiler is attached to it", process.pid),
                   "observe it without nsys, ncu or another CUDA_INJECTION64_PATH; the session keeps the rest"};
    }
  }
  return std::nullopt;
}

Result<Observation> recover_found(const std::string& sessions, const std::string& text) {
  AACO_ASSIGN(const std::filesystem::path session, find_session(sessions, text));
  return recover_observation(session.string());
}

// `recovered`: a session that a killed observer left; empty: a program is observed.
Result<int> observe(const ObservationRequest& request, const std::string& recovered, const Invocation& invocation) {
  (void)std::signal(SIGPIPE,
                    SIG_IGN);  // a reader that has seen enough must not end the session; the command's is its own
  AACO_ASSIGN(const Observation observation,
              recovered.empty()
                  ? observe_command(request,
                                    [&] {
                                      if (!invocation.quiet) {
                                        note("aaco: {}; closing the session\n",
                                             request.pid ? "the recording has ended" : "the command has ended");
                                      }
                                    })
                  : recover_found(request.sessions, recovered));
  const ObservationDocument& document = observation.document;
  imports::LoadedTrace trace;
  TraceSummary summary;
  if (document.events() > 0) {
    AACO_ASSIGN(trace, imports::load_trace({{document.bundle}, ""}));
    AACO_ASSIGN(const RoofSources roofs, imports::load_roofs({}));
    AACO_TRY(expect_analysis_memory(trace.events));
    summary = summarise_trace(trace.events, roofs);
  }
  if (invocation.json) {
    Json json = observation_json(document);
    json["figures"] = document.events() > 0 ? report::trace_figures(trace.origin, trace.events, summary) : Json();
    fmt::print("{}", indented_json_text(json));
  } else {
    report::Report answer;
    answer.sections.push_back(report::observation_answer(document, trace.events, summary));
    note("{}session {}\n", report::render_lines(answer), printable(document.bundle));
    note("more    {} {}\n", document.events() > 0 ? "aaco trace report" : "aaco report --session",
         printable(document.bundle));
  }
  if (const std::optional<Error> other = other_profiler(document)) {
    return *other;
  }
  return static_cast<int>(document.exit_code.value_or(0));
}

constexpr const char* kAllPlanes = "device,host,telemetry";

// "3%" or "3", in millionths.
Result<uint64_t> parse_budget(std::string_view text) {
  if (text.ends_with('%')) {
    text.remove_suffix(1);
  }
  const std::optional<double> percent = number_of_text<double>(text);
  if (!percent || !(*percent >= 0.0001 && *percent <= 100)) {
    return Error{ErrorKind::kUsage, fmt::format("--budget {}: not from 0.0001% to 100%", text),
                 "name a share of the time, as --budget 3%"};
  }
  return static_cast<uint64_t>(*percent * 1e4 + 0.5);
}

}  // namespace

void add_observe_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand(
      "observe", "Run any program, or join one that runs, and record what it does on CUDA devices and on the host");
  auto request = std::make_shared<ObservationRequest>();
  // One word: a list would take what is behind -- for its own.
  auto planes = std::make_shared<std::string>(kAllPlanes);
  auto is_dormant = std::make_shared<bool>(false);
  command.add_option("CMD", request->command, "The program and its arguments, behind --; it runs unchanged")
      .type_name("CMD...");
  command
      .add_option("--pid", request->pid, {1, INT32_MAX},
                  "Attach to a program that runs already, and leave it running; as often as you like")
      .type_name("PID")
      .excludes("CMD");
  command
      .add_flag("--dormant", *is_dormant,
                "Start CMD and record nothing until aaco observe --pid wakes it, which needs no ptrace")
      .excludes("--pid");
  command
      .add_option(
          "--planes", *planes,
          "What to record: device (GPU activity), host (processors, threads, memory), telemetry (clocks, power), "
          "kernel (what blocked its threads; not by default)")
      .type_name("PLANE,...")
      .capture_default_str();
  add_sessions_folder(command, request->sessions);
  add_tag_flag(command, invocation);
  command.rare({"--tag"});
  command
      .add_option("--duration", request->duration_s, {1e-3, 1e6},
                  "Record so many seconds from the start or the attaching; the program goes on")
      .type_name("SECONDS");
  command
      .add_size("--limit", request->limit_bytes, {uint64_t{1} << 20},
                "Size of the events to record at most, from 1MiB on; the oldest are kept")
      .type_name("SIZE")
      .default_str("1GiB");
  auto recovered = std::make_shared<std::string>();
  command.add_option("--recover", *recovered, "Close the session of an observer that was killed, from its journals")
      .type_name("SESSION")
      .excludes("CMD")
      .excludes("--pid");
  auto budget = std::make_shared<std::string>();
  command
      .add_option("--budget", *budget,
                  "Share of the time that the collector may take: records whole steps, and pauses between them")
      .type_name("PERCENT");
  auto graphs = std::make_shared<std::string>(kGraphNodes);
  command
      .add_option(
          "--graphs", *graphs,
          "Of a replayed CUDA graph: each of its kernels (nodes), or one record a replay (whole), which costs less")
      .one_of({kGraphNodes, kWholeGraphs})
      .capture_default_str();
  command
      .add_flag("--modules", request->modules,
                "Name kernels of replayed CUDA graphs by PyTorch's modules: a hook is put on Python's path, which "
                "does something only while a graph is captured")
      .excludes("--pid");
  command
      .add_flag("--torch-ops", request->torch_operators,
                "The same with --modules, and by PyTorch's operators too; captures take longer")
      .excludes("--pid");
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(
      command,
      "  aaco observe -- python3 train.py --epochs 1\n"
      "  aaco observe --pid 4711 --duration 10         # joins a job that runs, and leaves it running\n"
      "  aaco observe --duration 30 --sessions /data/sessions -- ./serve --port 8000\n"
      "  aaco report --session latest                  # all about it, afterwards; of CUDA: aaco trace report");
  command.callback([request, planes, graphs, budget, recovered, is_dormant, &invocation] {
    request->command_line = invocation.command_line;
    request->whole_graphs = *graphs == kWholeGraphs;
    if (request->command.empty() && !request->pid && recovered->empty()) {
      invocation.finish(Error{ErrorKind::kUsage, "nothing to observe",
                              "name a program behind --, or one that runs: aaco observe --pid PID"});
      return;
    }
    if (request->whole_graphs && (request->modules || request->torch_operators)) {
      invocation.finish(Error{ErrorKind::kUsage,
                              "--graphs whole records no kernels of graphs that --modules could name",
                              "leave one of them out"});
      return;
    }
    const Result<PlaneChoice> choice = parse_planes(*planes);
    if (!choice) {
      invocation.finish(choice.error());
      return;
    }
    request->planes = *choice;
    request->planes.by_name = *planes != kAllPlanes;
    if (!budget->empty()) {
      const Result<uint64_t> share = parse_budget(*budget);
      if (!share) {
        invocation.finish(share.error());
        return;
      }
      request->budget_ppm = *share;
    }
    if (*is_dormant) {
      const bool records = invocation.json || request->duration_s || !budget->empty() || !recovered->empty() ||
                           request->limit_bytes != ObservationRequest::kDefaultLimitBytes || *planes != kAllPlanes;
      if (records) {
        invocation.finish(Error{ErrorKind::kUsage,
                                "--dormant records nothing: --json, --duration, --limit, --budget, --planes and "
                                "--recover say how a recording is made",
                                "give them to the aaco observe --pid that wakes it"});
        return;
      }
      invocation.finish(become_dormant(*request));
      return;
    }
    invocation.finish(observe(*request, *recovered, invocation));
  });
}

}  // namespace aaco
