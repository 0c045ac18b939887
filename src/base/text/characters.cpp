// SPDX-License-Identifier: MIT
#include "base/text/characters.h"

#include <algorithm>
#include <cstdint>

#include "base/text/utf8.h"

namespace aaco {

namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool is_ascii_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

size_t character_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) {
    return !is_ascii_control(text[0]) || lead == '\n' || lead == '\t' ? 1 : 0;
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
  // XML forbids surrogates and the two ends of the plane; C1 controls steer a terminal as ESC does; direction overrides
  // make a name read as another.
  const bool unwanted = (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF ||
                        (code >= 0x80 && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
                        (code >= 0x2066 && code <= 0x2069);
  return overlong || unwanted ? 0 : bytes;
}

std::string printable(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const size_t bytes = character_bytes(text);
    if (is_ascii_control(text[0])) {
      safe += ' ';
    } else if (bytes == 0 && utf8_character(text) == 0) {
      safe += escaped_bytes(text.substr(0, 1));
    } else {
      safe += bytes == 0 ? kReplacement : text.substr(0, bytes);
    }
    text.remove_prefix(std::max({bytes, utf8_character(text), size_t{1}}));
  }
  return safe;
}

std::string unsteering(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; })) {
    return std::string(text);
  }
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const bool ends_line = text.starts_with("\r\n");
    const size_t bytes = ends_line ? 1 : character_bytes(text);
    const size_t length = std::max({bytes, utf8_character(text), size_t{1}});
    if (bytes == 0) {
      safe += escaped_bytes(text.substr(0, length));
    } else {
      safe += text.substr(0, bytes);
    }
    text.remove_prefix(length);
  }
  return safe;
}

size_t length_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
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

}  // namespace aaco
