// SPDX-License-Identifier: MIT
#include "cli/command/command.h"
#include "cli/llama/llama_subcommands.h"

namespace aaco {

void add_llama_command(cli::Command app, Invocation& invocation) {
  cli::Command command =
      app.add_subcommand("llama", "Train a Tiny LLaMA in four versions: three ever more fused, then one graph");
  command.require_subcommand();
  add_llama_list(command, invocation);
  add_llama_run(command, invocation);
  add_llama_compare(command, invocation);
  add_llama_study(command, invocation);
  add_llama_roofline(command, invocation);
  add_llama_lab(command, invocation);
  set_examples(command,
               "  aaco llama list\n"
               "  aaco llama run --version 1 --preset nano --device cpu:0\n"
               "  aaco llama compare --preset small --precision bf16\n"
               "  aaco llama study --presets tiny,small --versions 1,4\n"
               "  aaco llama lab 1");
}

}  // namespace aaco
