// SPDX-License-Identifier: MIT
// Text in a picture.
#pragma once

#include <string>
#include <string_view>

namespace aaco::plot {

// Pixels, an upper estimate, so that labels do not touch.
double width_of(std::string_view text);

// The same by its characters, in a wide font: of a label that nothing may cut, with capitals and digits.
double widest_of(std::string_view text);

// The element; `attributes` may be empty.
std::string text_at(double x, double y, const std::string& attributes, std::string_view text);

}  // namespace aaco::plot
