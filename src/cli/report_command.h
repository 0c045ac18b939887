// SPDX-License-Identifier: MIT
// aaco report: a recorded session as a page, or as Markdown, JSON or text.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_report_command(cli::Command app, Invocation& invocation);

}  // namespace aaco
