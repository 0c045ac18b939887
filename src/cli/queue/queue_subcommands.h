// SPDX-License-Identifier: MIT
// The subcommands of `aaco queue`, a file each.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_queue_list(cli::Command queue, Invocation& invocation);
void add_queue_run(cli::Command queue, Invocation& invocation);
void add_queue_sweep(cli::Command queue, Invocation& invocation);
void add_queue_run_priority(cli::Command queue, Invocation& invocation);
void add_queue_compare(cli::Command queue, Invocation& invocation);
void add_queue_probe(cli::Command queue, Invocation& invocation);
void add_queue_profile(cli::Command queue, Invocation& invocation);

}  // namespace aaco
