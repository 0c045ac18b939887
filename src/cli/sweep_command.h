// SPDX-License-Identifier: MIT
// aaco sweep: throughput over batch sizes, and where it saturates.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_sweep_command(cli::Command app, Invocation& invocation);

}  // namespace aaco
