// SPDX-License-Identifier: MIT
// The subcommands of `aaco queue`, a file each.
#pragma once

#include "cli/command.h"

namespace aaco {

void add_queue_list(CLI::App& queue, Invocation& invocation);
void add_queue_run(CLI::App& queue, Invocation& invocation);
void add_queue_sweep(CLI::App& queue, Invocation& invocation);
void add_queue_run_priority(CLI::App& queue, Invocation& invocation);
void add_queue_compare(CLI::App& queue, Invocation& invocation);
void add_queue_probe(CLI::App& queue, Invocation& invocation);
void add_queue_profile(CLI::App& queue, Invocation& invocation);

}  // namespace aaco
