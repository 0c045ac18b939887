// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/queue/queue_flags.h"
#include "cli/queue/queue_subcommands.h"

#include "base/json.h"
#include "base/json_text.h"
#include "experiment/queue/queue_probe.h"
#include "report/queue/queue_sections.h"
#include "report/sinks.h"

namespace aaco {

namespace {

report::Report report_of(const QueueProbeOutcome& outcome) {
  report::Report result;
  result.title = fmt::format("Hardware queues of {} ({}), {} streams, {} processes", outcome.request.device,
                             outcome.device_name, outcome.request.streams, outcome.request.processes);
  result.sections = {report::switch_section(outcome.independent, outcome.hand_off),
                     report::launch_cost_section(outcome.launches),
                     report::queue_map_section(outcome.map, outcome.limit),
                     report::convoy_section(outcome.convoy),
                     report::priority_section(outcome.priority),
                     report::record_section(outcome.records)};
  return result;
}

Result<int> probe(QueueProbeRequest request, const Invocation& invocation) {
  request.command_line = invocation.command_line;
  request.device = request.device.empty() ? default_device().id : request.device;
  ProgressLine progress;
  AACO_ASSIGN(const QueueProbeOutcome outcome, run_queue_probe(request, progress.callback()));
  progress.wipe();
  if (invocation.json) {
    fmt::print("{}", indented_json_text(Json(queue_probe_document(outcome))));
  } else {
    fmt::print("{}\nbundle  {}\n", report::render_text(report_of(outcome)), outcome.bundle.string());
  }
  return 0;
}

}  // namespace

void add_queue_probe(cli::Command queue, Invocation& invocation) {
  cli::Command command = queue.add_subcommand(
      "probe",
      "Controlled experiments: switch cost, launch cost, streams to hardware queues, convoy, priority, the collector");
  auto request = std::make_shared<QueueProbeRequest>();
  request->device.clear();
  command.add_option("--device", request->device, "As cuda:0; default: the first accelerator, else the CPU")
      .type_name("ID");
  command.add_option("-s,--streams", request->streams, "Streams, 2 to 128").capture_default_str();
  command.add_option("--processes", request->processes, "Fresh processes; a figure is the median over them")
      .capture_default_str();
  add_sessions_folder(command, request->sessions);
  add_json_flag(command, invocation);
  set_examples(command, "  aaco queue probe --streams 8\n  aaco queue probe --device cuda:0 --streams 32 --json");
  command.callback([request, &invocation] { invocation.finish(probe(*request, invocation)); });
}

}  // namespace aaco
