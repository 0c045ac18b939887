// SPDX-License-Identifier: MIT
#include "report/plot/markup.h"

#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace aaco::plot {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes of the character at `text[0]`, 0 when they are not UTF-8 or are a character that XML 1.0 forbids.
size_t character_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) {
    return lead >= 0x20 && lead != 0x7F ? 1 : (lead == '\n' || lead == '\t' ? 1 : 0);
  }
  const size_t bytes = lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) {
    return 0;
  }
  uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) {
      return 0;
    }
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  // Direction overrides are left out with the forbidden ones: they make a name read as another.
  const bool unwanted = (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF ||
                        (code >= 0x80 && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
                        (code >= 0x2066 && code <= 0x2069);
  return overlong || unwanted ? 0 : bytes;
}

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
    if (bytes == 0) {
      safe += kReplacement;
    } else if (const std::string_view named = entity(text[0]); !named.empty()) {
      safe += named;
    } else {
      safe += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
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

size_t length_of(std::string_view text) {
  size_t length = 0;
  for (const char c : text) {
    length += is_continuation(c) ? 0 : 1;
  }
  return length;
}

std::string shorten(std::string_view text, size_t characters) {
  if (length_of(text) <= characters) {
    return std::string(text);
  }
  size_t kept = 0;
  size_t end = 0;
  while (end < text.size() && kept + 1 < characters) {
    ++end;
    while (end < text.size() && is_continuation(text[end])) {
      ++end;
    }
    ++kept;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace aaco::plot
