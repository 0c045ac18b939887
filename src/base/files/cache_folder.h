// SPDX-License-Identifier: MIT
// Where the program keeps what it can make again: $AACO_CACHE, else $XDG_CACHE_HOME/aaco, else ~/.cache/aaco. A home is
// never made: $HOME counts only where it is a folder, $XDG_CACHE_HOME only where it or the folder above it is one.
#pragma once

#include <filesystem>

namespace aaco {

// Not created here. Relative to the present folder (".cache/aaco") where there is no home.
std::filesystem::path cache_folder();

}  // namespace aaco
