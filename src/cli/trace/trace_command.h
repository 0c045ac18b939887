// SPDX-License-Identifier: MIT
// aaco trace report: what a recorded trace says, whoever recorded it.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_trace_command(cli::Command app, Invocation& invocation);

}  // namespace aaco
