// SPDX-License-Identifier: MIT
// aaco sessions tag: the tags of a recorded session, shown and changed.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_sessions_tag(cli::Command sessions, Invocation& invocation);

}  // namespace aaco
