// SPDX-License-Identifier: MIT
// Whether bytes are UTF-8, whatever the characters; base/text/characters.h says which of them may be shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace aaco {

// Bytes of the UTF-8 character at the front of `text`, or 0 where there is none (Unicode 15, table 3-7).
size_t utf8_character(std::string_view text);

bool is_utf8(std::string_view text);

// To be shown or given away: U+FFFD and its two hexadecimal digits in place of each bad byte, so that texts that differ
// in bytes stay apart. What is UTF-8 stays as it is.
std::string as_utf8(std::string_view text);

// Each byte as U+FFFD and its two hexadecimal digits.
std::string escaped_bytes(std::string_view bytes);

// Any bytes as UTF-8, and back again: a bad byte is U+FFFD and its two hexadecimal digits, so that the path "a" 0xff is
// "a\uFFFDff". What is UTF-8 stays as it is, save a U+FFFD that two such digits follow: its own bytes are written so.
std::string utf8_of_bytes(std::string_view bytes);
std::string bytes_of_utf8(std::string_view text);

}  // namespace aaco
