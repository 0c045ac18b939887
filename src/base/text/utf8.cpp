// SPDX-License-Identifier: MIT
#include "base/text/utf8.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "base/text/characters.h"

namespace aaco {

namespace {

// The bad byte that U+FFFD and two digits at the front of `text` stand for. A bad byte is 0x80 or more, so what others
// wrote cannot hide a '/' or an end of the string.
std::optional<char> escaped_byte(std::string_view text) {
  if (!text.starts_with(kReplacement)) {
    return std::nullopt;
  }
  const std::string_view digits = text.substr(kReplacement.size(), 2);
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (digits.size() != 2 || digits[0] < '8' || !is_digit(digits[0]) || !is_digit(digits[1])) {
    return std::nullopt;
  }
  unsigned value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return static_cast<char>(value);
}

}  // namespace

std::string escaped_bytes(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{}{:02x}", kReplacement, static_cast<unsigned char>(byte));
  }
  return text;
}

size_t utf8_character(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (text.empty()) {
    return 0;
  }
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return follows(1) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    return follows(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    return follows(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t bytes = utf8_character(text);
    if (bytes == 0) {
      return false;
    }
    text.remove_prefix(bytes);
  }
  return true;
}

std::string as_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t bytes = utf8_character(text);
    result += bytes > 0 ? std::string(text.substr(0, bytes)) : escaped_bytes(text.substr(0, 1));
    text.remove_prefix(std::max<size_t>(bytes, 1));
  }
  return result;
}

std::string utf8_of_bytes(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const size_t length = utf8_character(bytes);
    if (length == 0 || escaped_byte(bytes)) {
      text += escaped_bytes(bytes.substr(0, std::max<size_t>(length, 1)));
    } else {
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(std::max<size_t>(length, 1));
  }
  return text;
}

std::string bytes_of_utf8(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    if (const std::optional<char> byte = escaped_byte(text)) {
      bytes += *byte;
      text.remove_prefix(kReplacement.size() + 2);
    } else {
      bytes += text.front();
      text.remove_prefix(1);
    }
  }
  return bytes;
}

}  // namespace aaco
