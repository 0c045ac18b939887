// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/command/with_flag.h"
#include "cli/queue/queue_flags.h"
#include "cli/queue/queue_subcommands.h"
#include "cli/queue/queue_text.h"

#include "base/json.h"
#include "base/json_text.h"
#include "experiment/queue/queue_run.h"

namespace aaco {

namespace {

struct Flags {
  QueueFlags queue;
  std::string output;
};

Result<int> run(const Flags& flags, const Invocation& invocation) {
  AACO_ASSIGN(const QueueRequest request, to_request(flags.queue, invocation));
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const QueueRunDocument document, run_queue(request, progress.callback()));
  progress.wipe();
  const Json json = Json(document);
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, json));
  }
  fmt::print("{}", invocation.json ? indented_json_text(json) : queue_run_text(document));
  return 0;
}

}  // namespace

void add_queue_run(cli::Command queue, Invocation& invocation) {
  cli::Command command = queue.add_subcommand("run", "Run one workload in fresh processes");
  auto flags = std::make_shared<Flags>();
  command.add_option("workload", flags->queue.request.workload, "Name: aaco queue list").required();
  command.add_option("-s,--streams", flags->queue.request.streams, "Streams of each device, 1 to 128")
      .capture_default_str();
  add_queue_flags(command, flags->queue);
  add_profile_flag(command, flags->queue);
  add_with_flag(command, flags->queue.request.with);
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE");
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco queue run hetero_kernels --streams 8\n"
               "  aaco queue run tiny_kernel_stress --streams 32 --dispatch graph --sync-mode end_only\n"
               "  aaco queue run large_gemm_only --streams 4 --param dtype=bf16 --device cuda:0 --output gemm.json");
  command.callback([flags, &invocation] { invocation.finish(run(*flags, invocation)); });
}

}  // namespace aaco
