// SPDX-License-Identifier: MIT
#include "cli/command/command.h"
#include "cli/overlap/overlap_subcommands.h"

namespace aaco {

void add_overlap_command(cli::Command app, Invocation& invocation) {
  cli::Command command =
      app.add_subcommand("overlap", "Train on several devices, and see how far communication hides behind computation");
  command.require_subcommand();
  add_overlap_run(command, invocation);
  add_overlap_keys(command, invocation);
  add_overlap_sweep(command, invocation);
  add_overlap_report(command, invocation);
  add_overlap_copy(command, invocation);
  set_examples(command,
               "  aaco overlap run --config configs/overlap/llama_nano.yaml --device cpu:0,cpu:1\n"
               "  aaco overlap run --config configs/overlap/llama_888m.yaml --dry-run\n"
               "  aaco overlap copy --device 0 --matrix-size 4096 --copy-mb 64\n"
               "  aaco overlap keys");
}

}  // namespace aaco
