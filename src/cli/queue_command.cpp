// SPDX-License-Identifier: MIT
// `aaco queue`: hardware-queue workloads.
#include "cli/command/command.h"
#include "cli/queue/queue_subcommands.h"

namespace aaco {

void add_queue_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("queue", "Stress hardware queues: workloads on 1 to 128 streams");
  command.require_subcommand();
  set_examples(command,
               "  aaco queue list\n"
               "  aaco queue run hetero_kernels --streams 8\n"
               "  aaco queue sweep hetero_kernels --streams 1,2,4,8,16\n"
               "  aaco queue run-priority P0");
  add_queue_list(command, invocation);
  add_queue_run(command, invocation);
  add_queue_sweep(command, invocation);
  add_queue_run_priority(command, invocation);
  add_queue_compare(command, invocation);
  add_queue_probe(command, invocation);
  add_queue_profile(command, invocation);
  set_examples(command,
               "  aaco queue list --verbose\n"
               "  aaco queue run hetero_kernels --streams 8\n"
               "  aaco queue sweep hetero_kernels --streams 1,2,4,8,16");
}

}  // namespace aaco
