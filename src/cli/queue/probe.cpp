// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/command/session_page.h"
#include "cli/queue/queue_flags.h"
#include "cli/queue/queue_subcommands.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "kind/queue_probe/queue_probe.h"
#include "kind/queue_probe/queue_probe_report.h"
#include "report/sinks.h"
#include "workload/workload.h"

namespace aaco {

namespace {

Result<int> probe(QueueProbeRequest request, const Invocation& invocation) {
  request.command_line = invocation.command_line;
  request.device = request.device.empty() ? default_device().id : request.device;
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const QueueProbeDocument document, run_queue_probe(request, progress.callback()));
  progress.wipe();
  AACO_ASSIGN(const std::filesystem::path page, write_session_page(document.bundle));
  fmt::print("{}", invocation.json
                       ? indented_json_text(Json(document))
                       : report::render_text(report::build_queue_probe_summary(document)) + page_line(page));
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
  command.add_option("-s,--streams", request->streams, {2, kMostStreams}, "Streams, 2 to 128").capture_default_str();
  command.add_option("--processes", request->processes, {1, 1000}, "Fresh processes; a figure is the median over them")
      .capture_default_str();
  add_sessions_folder(command, request->sessions);
  add_tag_flag(command, invocation);
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command, "  aaco queue probe --streams 8\n  aaco queue probe --device cuda:0 --streams 32 --json");
  command.callback([request, &invocation] { invocation.finish(probe(*request, invocation)); });
}

}  // namespace aaco
