// SPDX-License-Identifier: MIT
// --with TOOL: one process more, under a vendor's profiler.
#pragma once

#include <string>

#include "cli/command/command.h"

namespace aaco {

cli::Option add_with_flag(cli::Command command, std::string& tool);

}  // namespace aaco
