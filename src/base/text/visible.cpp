// SPDX-License-Identifier: MIT
#include "base/text/visible.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "base/text/characters.h"
#include "base/text/utf8.h"

namespace aaco {

namespace {

struct CodeRange {
  uint32_t first = 0;
  uint32_t last = 0;
};

constexpr CodeRange kInvisible[] = {
    {0x0000, 0x001F},    // Cc
    {0x007F, 0x009F},    // Cc
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    // grapheme joiner
    {0x061C, 0x061C},    // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180E, 0x180E},    // Mongolian vowel separator
    {0x200B, 0x200F},    // spaces without width, joiners, directions
    {0x2028, 0x202E},    // Zl, Zp, directions
    {0x2060, 0x206F},    // joiners, directions
    {0x2800, 0x2800},    // braille pattern without a dot
    {0x3164, 0x3164},    // Hangul filler
    {0xFEFF, 0xFEFF},    // space without width
    {0xFFA0, 0xFFA0},    // Hangul filler, half width
    {0xFFF9, 0xFFFB},    // interlinear annotation
    {0x1BCA0, 0x1BCA3},  // shorthand formats
    {0x1D173, 0x1D17A},  // musical formats
    {0xE0000, 0xE00FF},  // tags
};

constexpr CodeRange kSpaces[] = {{0x0020, 0x0020}, {0x00A0, 0x00A0}, {0x1680, 0x1680}, {0x2000, 0x200A},
                                 {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};

template <size_t kRanges>
bool is_in(const CodeRange (&ranges)[kRanges], uint32_t code) {
  return std::ranges::any_of(ranges, [&](const CodeRange& range) { return code >= range.first && code <= range.last; });
}

// A byte that is no UTF-8 stands for itself.
uint32_t first_code(std::string_view text, size_t& bytes) {
  bytes = std::max(utf8_character(text), size_t{1});
  const auto lead = static_cast<unsigned char>(text[0]);
  uint32_t code = bytes == 1 ? lead : lead & (0xFFU >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return code;
}

}  // namespace

std::optional<uint32_t> invisible_character(std::string_view text) {
  while (!text.empty()) {
    size_t bytes = 0;
    const uint32_t code = first_code(text, bytes);
    if (is_in(kInvisible, code)) {
      return code;
    }
    text.remove_prefix(bytes);
  }
  return std::nullopt;
}

std::string without_invisible(std::string_view text) {
  std::string visible;
  while (!text.empty()) {
    size_t bytes = 0;
    visible += is_in(kInvisible, first_code(text, bytes)) ? kReplacement : text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return visible;
}

bool has_space_at_end(std::string_view text) {
  bool is_space = false;
  for (bool is_first = true; !text.empty(); is_first = false) {
    size_t bytes = 0;
    is_space = is_in(kSpaces, first_code(text, bytes));
    if (is_first && is_space) {
      return true;
    }
    text.remove_prefix(bytes);
  }
  return is_space;
}

}  // namespace aaco
