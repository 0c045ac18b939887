// SPDX-License-Identifier: MIT
// Text that others wrote, made safe to show and counted in characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace aaco {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Bytes of the character at the start of `text`, which is not empty. 0 where they are not UTF-8 or are a character that
// is never shown: controls (newline and tab excepted), surrogates, U+FFFE, U+FFFF, direction overrides.
size_t character_bytes(std::string_view text);

// One line that steers no terminal: ASCII controls become spaces, what character_bytes refuses beyond them U+FFFD; a
// byte that is not UTF-8 has its two hexadecimal digits behind it, as in JSON.
std::string printable(std::string_view text);

// As data: UTF-8 that steers no terminal, and differs where `text` does. Of bytes that are not UTF-8, of what
// character_bytes refuses and of a carriage return that ends no line, each byte is U+FFFD and its two hexadecimal
// digits.
std::string unsteering(std::string_view text);

// Characters, not bytes.
size_t length_of(std::string_view text);

// The start of `text`, at most `characters` long, with an ellipsis where something was cut.
std::string shorten(std::string_view text, size_t characters);

}  // namespace aaco
