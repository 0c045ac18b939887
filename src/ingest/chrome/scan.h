// SPDX-License-Identifier: MIT
// The fast path over JSON text: one pass, 16 bytes at a time, no copy and no tree. It takes what writers of traces
// write and gives up on the rest (an escape, an exponent, a syntax error), which a full parser then decides on.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <emmintrin.h>
#include <string_view>

#include "ingest/chrome/raw_event.h"

namespace aaco::chrome {

// The text has this many readable bytes behind its end, none of them part of it.
inline constexpr size_t kPadding = 64;

// A place in the text. Functions return the place behind what they read, or null where they give up.
using Place = const char*;

inline __m128i load16(Place p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }

inline unsigned mask_of(__m128i bytes) { return static_cast<unsigned>(_mm_movemask_epi8(bytes)); }

inline unsigned equal(__m128i bytes, char c) { return mask_of(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))); }

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

Place skip_long_space(Place p);

// Stops at the first byte that is no white space, at the latest in the padding.
inline Place skip_space(Place p) {
  if (static_cast<unsigned char>(*p) > ' ') {
    return p;
  }
  if (*p == ' ' && static_cast<unsigned char>(p[1]) > ' ') {  // what most writers put behind ':' and ','
    return p + 1;
  }
  return skip_long_space(p);
}

// The closing quote of a text that has neither escapes nor control characters; `p` behind the opening one.
inline Place find_quote(Place p, Place end) {
  for (; p < end; p += 16) {
    const __m128i bytes = load16(p);
    const unsigned quotes = equal(bytes, '"');
    // A byte under 0x20 is what saturating subtraction of 0x1F makes zero.
    const unsigned refused = equal(bytes, '\\') | equal(_mm_subs_epu8(bytes, _mm_set1_epi8(0x1F)), 0);
    if ((quotes | refused) != 0) {
      const int at = std::countr_zero(quotes | refused);
      return ((quotes >> at) & 1) != 0 && p + at < end ? p + at : nullptr;
    }
  }
  return nullptr;
}

// The digits at `p` appended to `number`, eight at a time; how many they are may overflow it.
inline Place append_digits(Place p, uint64_t& number) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  while (true) {
    uint64_t eight = 0;
    std::memcpy(&eight, p, 8);
    // Digits are 0x30 to 0x39: their upper half is 3, and is so still when 6 is added.
    if ((((eight & (0xF0 * kOnes)) | (((eight + 0x06 * kOnes) & (0xF0 * kOnes)) >> 4)) ^ (0x33 * kOnes)) != 0) {
      break;
    }
    eight = (eight & (0x0F * kOnes)) * 2561 >> 8;  // pairs: 10 a + b; the first digit is the lowest byte
    eight = (eight & 0x00FF00FF00FF00FF) * 6553601 >> 16;
    eight = (eight & 0x0000FFFF0000FFFF) * 42949672960001 >> 32;
    number = number * 100000000 + eight;
    p += 8;
  }
  for (; is_digit(*p); ++p) {
    number = 10 * number + static_cast<unsigned char>(*p - '0');
  }
  return p;
}

// Digits, with a fraction or without, and padding behind them; null at a leading zero. An exponent is not looked at.
inline Place scan_number(Place p, RawValue& value) {
  constexpr std::ptrdiff_t kDigitsThatFit = 18;
  const bool negative = *p == '-';
  p += negative ? 1 : 0;
  const Place whole = p;
  uint64_t number = 0;  // of more digits than fit: anything
  p = append_digits(p, number);
  std::ptrdiff_t digits = p - whole;
  if (digits == 0 || (*whole == '0' && digits > 1)) {
    return nullptr;
  }
  std::ptrdiff_t decimals = 0;
  if (*p == '.') {
    const Place fraction = ++p;
    p = append_digits(p, number);
    decimals = p - fraction;
    digits += decimals;
    if (decimals == 0) {
      return nullptr;
    }
  }
  value.decimals = digits <= kDigitsThatFit ? static_cast<uint8_t>(decimals) : RawValue::kUnknownDecimals;
  value.digits = static_cast<int64_t>(negative ? 0 - number : number);
  return p;
}

Place scan_container(Place p, Place end);   // at '[' or '{'
Place scan_word(Place p, RawValue& value);  // true, false, null

// Any value; its type was kAbsent.
[[gnu::always_inline]] inline Place scan_value(Place p, Place end, RawValue& value) {
  if (*p == '"') {
    const Place quote = find_quote(p + 1, end);
    if (quote == nullptr) {
      return nullptr;
    }
    value.type = RawType::kText;
    value.text = {p + 1, static_cast<size_t>(quote - p - 1)};
    return quote + 1;
  }
  Place after = nullptr;
  if (*p == '-' || is_digit(*p)) {
    after = scan_number(p, value);
    after = after != nullptr && (*after | 0x20) == 'e' ? nullptr : after;
    value.type = RawType::kNumber;
  } else if (*p == '[' || *p == '{') {
    after = scan_container(p, end);
    value.type = RawType::kJson;
  } else {
    return scan_word(p, value);
  }
  if (after == nullptr || after > end) {
    return nullptr;
  }
  value.text = {p, static_cast<size_t>(after - p)};
  return after;
}

// By JSON's grammar, of any size and length.
bool is_number(std::string_view text);

// The end of the value at `p` by its quotes and brackets alone; null where the text ends before.
Place skip_value(Place p, Place end);

}  // namespace aaco::chrome
