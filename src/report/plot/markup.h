// SPDX-License-Identifier: MIT
// Text made safe for XML and HTML, and coordinates made short.
#pragma once

#include <string>
#include <string_view>

namespace aaco::plot {

// Escapes & < > " ' and replaces what base/text/characters.h refuses by U+FFFD. Safe as text and as a quoted attribute.
std::string escape_markup(std::string_view text);

// One decimal at most, no trailing zero: "12.5", "12". Not finite: "0".
std::string coordinate(double value);

}  // namespace aaco::plot
