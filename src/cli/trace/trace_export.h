// SPDX-License-Identifier: MIT
// aaco trace export: a trace for other programs.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_trace_export(cli::Command trace, Invocation& invocation);

}  // namespace aaco
