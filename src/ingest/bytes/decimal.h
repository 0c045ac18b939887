// SPDX-License-Identifier: MIT
// Times of a trace are decimal microseconds; ours are whole nanoseconds. Between them lies no floating point.
#pragma once

#include <cstdint>
#include <string_view>

namespace aaco {

enum class DecimalState : uint8_t {
  kExact,
  kCut,         // digits under a nanosecond were cut off (towards zero)
  kOutOfRange,  // not within 64 bits
  kNoNumber,
};

struct Nanoseconds {
  int64_t value = 0;
  DecimalState state = DecimalState::kNoNumber;
};

// Of a JSON number in microseconds: 2211714296495.653 is 2211714296495653 ns. Exponents are taken too.
Nanoseconds nanoseconds_of_microseconds(std::string_view text);

}  // namespace aaco
