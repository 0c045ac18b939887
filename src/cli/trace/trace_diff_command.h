// SPDX-License-Identifier: MIT
// aaco trace diff: what changed on the device from one trace to another.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_trace_diff(cli::Command trace, Invocation& invocation);

}  // namespace aaco
