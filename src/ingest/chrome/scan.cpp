// SPDX-License-Identifier: MIT
#include "ingest/chrome/scan.h"

#include <string>
#include <string_view>

namespace aaco::chrome {

namespace {

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

bool starts(Place p, std::string_view word) { return std::memcmp(p, word.data(), word.size()) == 0; }

}  // namespace

Place scan_container(Place p, Place end) { return skip_container<find_quote>(p, end); }

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
