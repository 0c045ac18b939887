// SPDX-License-Identifier: MIT
#include "report/plot/label.h"

#include "base/text/characters.h"
#include "report/plot/markup.h"

namespace aaco::plot {

namespace {

constexpr double kCharacterWidth = 6.3;  // px, of 11 px text

}  // namespace

double widest_of(std::string_view text) {
  constexpr std::string_view kWide = "mwMW@%";
  constexpr std::string_view kNarrow = "fijlrt|.,:;'!()[] ";
  constexpr double kOfWide = 10.8;  // px, of DejaVu Sans at 11 px, which is wider than most
  constexpr double kOfCapital = 8.0;
  constexpr double kOfNarrow = 4.7;
  constexpr double kOfOthers = 7.1;
  double width = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) {
      continue;  // of a character that is counted
    }
    width += kWide.find(c) != std::string_view::npos     ? kOfWide
             : kNarrow.find(c) != std::string_view::npos ? kOfNarrow
             : c >= 'A' && c <= 'Z'                      ? kOfCapital
                                                         : kOfOthers;
  }
  return width;
}

double width_of(std::string_view text) { return kCharacterWidth * static_cast<double>(length_of(text)); }

std::string text_at(double x, double y, const std::string& attributes, std::string_view text) {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\"" +
         (attributes.empty() ? "" : " " + attributes) + ">" + escape_markup(text) + "</text>";
}

}  // namespace aaco::plot
