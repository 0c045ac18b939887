// SPDX-License-Identifier: MIT
// What a newcomer types first: nothing at all, or the name of a file.
#pragma once

#include <string>
#include <vector>

namespace aaco {

// For `aaco` alone: what it is, and three commands that work on this machine.
std::string first_steps();

// `aaco FILE ...` as the command line that is meant: a model is run, a recorded session is shown, any other file or
// folder is reported as a trace. The same words where the first names nothing that is there.
std::vector<std::string> meant_command(const std::vector<std::string>& words);

}  // namespace aaco
