// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

namespace aaco {

// Characters in a line of the terminal that a descriptor is; none where it is no terminal, or does not say.
std::optional<int> terminal_columns(int descriptor);

}  // namespace aaco
