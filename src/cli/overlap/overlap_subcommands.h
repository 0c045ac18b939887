// SPDX-License-Identifier: MIT
// The subcommands of `aaco overlap`, one file each.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_overlap_run(cli::Command overlap, Invocation& invocation);
void add_overlap_keys(cli::Command overlap, Invocation& invocation);
void add_overlap_copy(cli::Command overlap, Invocation& invocation);
void add_overlap_sweep(cli::Command overlap, Invocation& invocation);
void add_overlap_report(cli::Command overlap, Invocation& invocation);

}  // namespace aaco
