// SPDX-License-Identifier: MIT
// `aaco queue`: hardware-queue workloads.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_queue_command(cli::Command app, Invocation& invocation);

}  // namespace aaco
