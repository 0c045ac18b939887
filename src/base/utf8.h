// SPDX-License-Identifier: MIT
// Whether bytes are UTF-8, whatever the characters; base/characters.h says which of them may be shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace aaco {

// Bytes of the UTF-8 character at the front of `text`, or 0 where there is none (Unicode 15, table 3-7).
size_t utf8_character(std::string_view text);

bool is_utf8(std::string_view text);

// With U+FFFD in place of each bad byte.
std::string as_utf8(std::string_view text);

}  // namespace aaco
