// SPDX-License-Identifier: MIT
// aaco worker: what `aaco run` starts for each process. Not for people, and not in the help.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_worker_command(cli::Command app, Invocation& invocation);

}  // namespace aaco
