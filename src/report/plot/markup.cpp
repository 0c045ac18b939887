// SPDX-License-Identifier: MIT
#include "report/plot/markup.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text/characters.h"
#include "base/text/utf8.h"

namespace aaco::plot {

namespace {

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string safe;
  safe.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const size_t bytes = character_bytes(text);
    if (bytes == 0 && utf8_character(text) == 0) {
      safe += escaped_bytes(text.substr(0, 1));
    } else if (bytes == 0) {
      safe += kReplacement;
    } else if (const std::string_view named = entity(text[0]); !named.empty()) {
      safe += named;
    } else {
      safe += text.substr(0, bytes);
    }
    text.remove_prefix(bytes > 0 ? bytes : std::max<size_t>(utf8_character(text), 1));
  }
  return safe;
}

std::string coordinate(double value) {
  if (!std::isfinite(value)) {
    return "0";
  }
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) {
    text.resize(text.size() - 2);
  }
  return text == "-0" ? "0" : text;
}

}  // namespace aaco::plot
