// SPDX-License-Identifier: MIT
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_overlap_command(cli::Command app, Invocation& invocation);

}  // namespace aaco
