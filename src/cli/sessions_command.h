// SPDX-License-Identifier: MIT
// aaco sessions list | show | verify | prune: the bundles of a folder.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_sessions_command(cli::Command app, Invocation& invocation);

}  // namespace aaco
