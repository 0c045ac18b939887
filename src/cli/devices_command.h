// SPDX-License-Identifier: MIT
// `aaco devices`: what work can run on here, and why not on more; and whether it computes right.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_devices_command(cli::Command app, Invocation& invocation);

}  // namespace aaco
