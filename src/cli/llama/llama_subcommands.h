// SPDX-License-Identifier: MIT
// The subcommands of `aaco llama`, one file each.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_llama_list(cli::Command llama, Invocation& invocation);
void add_llama_run(cli::Command llama, Invocation& invocation);
void add_llama_compare(cli::Command llama, Invocation& invocation);
void add_llama_study(cli::Command llama, Invocation& invocation);
void add_llama_roofline(cli::Command llama, Invocation& invocation);
void add_llama_lab(cli::Command llama, Invocation& invocation);

}  // namespace aaco
