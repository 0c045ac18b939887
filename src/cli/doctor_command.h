// SPDX-License-Identifier: MIT
// aaco doctor: what is here, what is missing and what to do about it; and the measured roofs.
#pragma once

#include "cli/command/command.h"

namespace aaco {

void add_doctor_command(cli::Command app, Invocation& invocation);

}  // namespace aaco
