// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/queue/queue_flags.h"
#include "cli/queue/queue_subcommands.h"

#include "base/format.h"
#include "base/json.h"
#include "base/json_text.h"
#include "experiment/queue/queue_probe.h"
#include "report/queue/queue_sections.h"
#include "report/sinks.h"

namespace aaco {

namespace {

report::Report report_of(const QueueProbeDocument& document) {
  report::Report result;
  result.title = fmt::format("Hardware queues of {} ({}), {}, {}", document.request.device, document.device_name,
                             counted(document.request.streams, "stream", "streams"),
                             counted(document.request.processes, "process", "processes"));
  result.sections = {report::switch_section(document.independent, document.hand_off),
                     report::launch_cost_section(document.launches),
                     report::queue_map_section(document.map, document.limit),
                     report::convoy_section(document.convoy),
                     report::priority_section(document.priority),
                     report::record_section(document.records)};
  return result;
}

Result<int> probe(QueueProbeRequest request, const Invocation& invocation) {
  request.command_line = invocation.command_line;
  request.device = request.device.empty() ? default_device().id : request.device;
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const QueueProbeDocument document, run_queue_probe(request, progress.callback()));
  progress.wipe();
  if (invocation.json) {
    fmt::print("{}", indented_json_text(Json(document)));
  } else {
    fmt::print("{}\nbundle  {}\n", report::render_text(report_of(document)), document.bundle);
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
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command, "  aaco queue probe --streams 8\n  aaco queue probe --device cuda:0 --streams 32 --json");
  command.callback([request, &invocation] { invocation.finish(probe(*request, invocation)); });
}

}  // namespace aaco
