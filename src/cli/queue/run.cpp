// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/command/session_page.h"
#include "cli/command/until_flag.h"
#include "cli/command/with_flag.h"
#include "cli/queue/queue_flags.h"
#include "cli/queue/queue_subcommands.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "kind/queue_run/queue_run.h"
#include "kind/queue_run/report/queue_report.h"
#include "report/sinks.h"
#include "workload/workload.h"

namespace aaco {

namespace {

struct Flags {
  QueueFlags queue;
  std::string output;
  std::optional<std::string> until;  // percent
  std::optional<double> duration_s;
};

Result<int> run(const Flags& flags, const Invocation& invocation) {
  AACO_ASSIGN(QueueRequest request, to_request(flags.queue, invocation));
  AACO_ASSIGN(request.until, until_request(flags.until, flags.duration_s, request.processes));
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const QueueRunDocument document, run_queue(request, progress.callback()));
  progress.wipe();
  const Json json = Json(document);
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, json));
  }
  AACO_ASSIGN(const std::filesystem::path page, write_session_page(document.bundle));
  fmt::print("{}", invocation.json ? indented_json_text(json)
                                   : report::render_text(report::build_queue_run_summary(document)) + page_line(page));
  return 0;
}

}  // namespace

void add_queue_run(cli::Command queue, Invocation& invocation) {
  cli::Command command = queue.add_subcommand("run", "Run one workload in fresh processes");
  auto flags = std::make_shared<Flags>();
  command.add_option("workload", flags->queue.request.workload, "Name: aaco queue list").required();
  command
      .add_option("-s,--streams", flags->queue.request.streams, {1, kMostStreams}, "Streams of each device, 1 to 128")
      .capture_default_str();
  add_queue_flags(command, flags->queue);
  add_tag_flag(command, invocation);
  add_profile_flag(command, flags->queue);
  add_with_flag(command, flags->queue.request.with);
  add_until_flag(command, flags->until);
  command.add_option("--duration", flags->duration_s, {kLeastAboveZero, 86'400}, "Of --until: seconds at most")
      .type_name("SECONDS")
      .needs("--until");
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE").written();
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco queue run hetero_kernels --streams 8\n"
               "  aaco queue run tiny_kernel_stress --streams 32 --dispatch graph --sync-mode end_only\n"
               "  aaco queue run large_gemm_only --streams 4 --param dtype=bf16 --device cuda:0 --output gemm.json");
  command.callback([flags, &invocation] { invocation.finish(run(*flags, invocation)); });
}

}  // namespace aaco
