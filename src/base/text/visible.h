// SPDX-License-Identifier: MIT
// Characters that a reader does not see: two names that differ in them look the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aaco {

// Code point of the first character of `text`, which is UTF-8, that leaves no mark: controls, line and paragraph
// separators, formats and fillers (Unicode 16: Cc, Zl, Zp, Cf without the signs that enclose numbers, Hangul and Khmer
// fillers, the empty braille pattern). Spaces and variation selectors are none of them.
std::optional<uint32_t> invisible_character(std::string_view text);

// The same text with U+FFFD for each of them.
std::string without_invisible(std::string_view text);

// Whether it begins or ends with a space of any width (Zs).
bool has_space_at_end(std::string_view text);

}  // namespace aaco
