// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

// False: no word of NVTX.
bool do_nvtx_word(std::string_view verb, std::string_view name);
