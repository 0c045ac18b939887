// SPDX-License-Identifier: MIT
#include "ingest/chrome/scan.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <emmintrin.h>
#include <string>
#include <string_view>

namespace aaco::chrome {

namespace {

__m128i load16(Place p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }

unsigned mask_of(__m128i bytes) { return static_cast<unsigned>(_mm_movemask_epi8(bytes)); }

unsigned equal(__m128i bytes, char c) { return mask_of(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))); }

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// The digits at `p` appended to `number`, eight at a time; how many they are may overflow it.
Place append_digits(Place p, uint64_t& number) {
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

// The closing quote of any text.
Place find_quote_past_escapes(Place p, Place end) {
  while (p < end) {
    const __m128i bytes = load16(p);
    const unsigned stops = equal(bytes, '"') | equal(bytes, '\\');
    if (stops == 0) {
      p += 16;
      continue;
    }
    p += std::countr_zero(stops);
    if (p >= end) {
      return nullptr;
    }
    if (*p == '"') {
      return p;
    }
    p += 2;
  }
  return nullptr;
}

// `p` at '[' or '{'. Counts brackets, whatever their kind; what lies between them is not looked at.
template <Place (*FindQuote)(Place, Place)>
Place skip_container(Place p, Place end) {
  int64_t depth = 0;
  while (p < end) {
    const __m128i bytes = load16(p);
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));  // '[' becomes '{', ']' becomes '}'
    const unsigned opening = equal(folded, '{');
    unsigned stops = equal(bytes, '"') | opening | equal(folded, '}');
    Place next = p + 16;
    for (; stops != 0; stops &= stops - 1) {
      const int bit = std::countr_zero(stops);
      const Place at = p + bit;
      if (at >= end) {
        return nullptr;
      }
      if (*at != '"') {
        depth += ((opening >> bit) & 1) != 0 ? 1 : -1;
        if (depth == 0) {
          return at + 1;
        }
        continue;
      }
      const Place quote = FindQuote(at + 1, end);
      if (quote == nullptr) {
        return nullptr;
      }
      if (quote >= next) {
        next = quote + 1;
        break;
      }
      stops &= ~0U << (quote - p);  // the loop clears the closing quote's own bit
    }
    p = next;
  }
  return nullptr;
}

// Digits, with a fraction or without, and padding behind them; null at a leading zero. An exponent is not looked at.
Place scan_number(Place p, RawValue& value) {
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

bool starts(Place p, std::string_view word) { return std::memcmp(p, word.data(), word.size()) == 0; }

Place scan_word(Place p, RawValue& value) {
  if (starts(p, "true")) {
    value = {RawType::kTrue, {}};
    return p + 4;
  }
  if (starts(p, "false")) {
    value = {RawType::kFalse, {}};
    return p + 5;
  }
  if (starts(p, "null")) {
    value = {RawType::kNull, {}};
    return p + 4;
  }
  return nullptr;
}

}  // namespace

Place find_quote(Place p, Place end) {
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

Place scan_value(Place p, Place end, RawValue& value) {
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
    after = skip_container<find_quote>(p, end);
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

bool is_number(std::string_view text) {
  std::string padded(text);
  padded.append(kPadding, '\0');
  RawValue value;
  Place p = scan_number(padded.data(), value);
  if (p == nullptr) {
    return false;
  }
  if ((*p | 0x20) == 'e') {
    p += p[1] == '+' || p[1] == '-' ? 2 : 1;
    const Place digits = p;
    while (is_digit(*p)) {
      ++p;
    }
    if (p == digits) {
      return false;
    }
  }
  return p == padded.data() + text.size();
}

Place skip_long_space(Place p) {
  while (true) {
    const __m128i bytes = load16(p);
    const unsigned space = equal(bytes, ' ') | equal(bytes, '\n') | equal(bytes, '\r') | equal(bytes, '\t');
    if (space != 0xFFFF) {
      return p + std::countr_one(space);
    }
    p += 16;
  }
}

Place skip_value(Place p, Place end) {
  if (p >= end) {
    return nullptr;
  }
  if (*p == '"') {
    const Place quote = find_quote_past_escapes(p + 1, end);
    return quote == nullptr ? nullptr : quote + 1;
  }
  if (*p == '[' || *p == '{') {
    return skip_container<find_quote_past_escapes>(p, end);
  }
  while (p < end && *p != ',' && *p != '}' && *p != ']' && static_cast<unsigned char>(*p) > ' ') {
    ++p;
  }
  return p < end ? p : nullptr;
}

}  // namespace aaco::chrome
