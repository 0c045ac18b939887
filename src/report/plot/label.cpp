// SPDX-License-Identifier: MIT
#include "report/plot/label.h"

#include "base/text/characters.h"
#include "report/plot/markup.h"

namespace aaco::plot {

namespace {

constexpr double kCharacterWidth = 6.3;  // px, of 11 px text

}  // namespace

double width_of(std::string_view text) { return kCharacterWidth * static_cast<double>(length_of(text)); }

std::string text_at(double x, double y, const std::string& attributes, std::string_view text) {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\"" +
         (attributes.empty() ? "" : " " + attributes) + ">" + escape_markup(text) + "</text>";
}

}  // namespace aaco::plot
