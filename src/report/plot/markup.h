// SPDX-License-Identifier: MIT
// Text made safe for XML and HTML, and coordinates made short.
#pragma once

#include <string>
#include <string_view>

namespace aaco::plot {

// Escapes & < > " ', replaces bytes that are not UTF-8 and characters that XML forbids by U+FFFD. Safe as text and as a
// quoted attribute.
std::string escape_markup(std::string_view text);

// One decimal at most, no trailing zero: "12.5", "12". Not finite: "0".
std::string coordinate(double value);

// The start of `text`, at most `characters` long, with an ellipsis where something was cut.
std::string shorten(std::string_view text, size_t characters);

// Characters, not bytes.
size_t length_of(std::string_view text);

}  // namespace aaco::plot
