// SPDX-License-Identifier: MIT
// aaco run: a model to a session bundle, a diagnosis and a report.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_run_command(cli::Command app, Invocation& invocation);

}  // namespace aaco
