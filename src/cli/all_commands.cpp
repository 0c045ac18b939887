// SPDX-License-Identifier: MIT
#include <vector>

#include "cli/command.h"

namespace aaco {

namespace {
const std::vector<AddCommand> kCommands{};
}

std::span<const AddCommand> all_commands() { return kCommands; }

}  // namespace aaco
