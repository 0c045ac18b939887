// SPDX-License-Identifier: MIT
// The tree of commands as a manual page, aaco(1), in the macros of man(7).
#pragma once

#include <string>
#include <vector>

#include "cli/completion/command_tree.h"

namespace aaco::completion {

std::string manual_page(const std::vector<Command>& tree, const std::string& version);

}  // namespace aaco::completion
