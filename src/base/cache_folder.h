// SPDX-License-Identifier: MIT
// Where the program keeps what it can make again: $AACO_CACHE, else $XDG_CACHE_HOME/aaco, else ~/.cache/aaco.
#pragma once

#include <filesystem>

namespace aaco {

// Not created here. Relative to the present folder (".cache/aaco") where the user has no home.
std::filesystem::path cache_folder();

}  // namespace aaco
