// SPDX-License-Identifier: MIT
// The subcommands of `aaco guard`, a file each.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_guard_record(cli::Command guard, Invocation& invocation);
void add_guard_check(cli::Command guard, Invocation& invocation);
void add_guard_report(cli::Command guard, Invocation& invocation);
void add_guard_series(cli::Command guard, Invocation& invocation);
void add_guard_bisect(cli::Command guard, Invocation& invocation);

}  // namespace aaco
