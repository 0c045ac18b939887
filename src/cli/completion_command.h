// SPDX-License-Identifier: MIT
// `aaco completion`: a script that makes a shell complete aaco's commands, flags and their values.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_completion_command(cli::Command app, Invocation& invocation);

}  // namespace aaco
