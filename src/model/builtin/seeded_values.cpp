// SPDX-License-Identifier: MIT
#include "model/builtin/seeded_values.h"

#include <cstring>

#include "model/float16.h"

namespace aaco {

namespace {

uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
  z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
  return z ^ (z >> 31);
}

uint64_t start_of(uint64_t seed, std::string_view stream) {
  uint64_t state = mix(seed + 1);
  for (const char character : stream) {
    state = mix(state ^ static_cast<unsigned char>(character));
  }
  return state;
}

template <class T, class Convert>
std::string fill(uint64_t state, int64_t count, Bell bell, Convert convert) {
  // The variance of one part is (2^32 - 1) / 12, so that of the sum is a third of 2^32 - 1.
  constexpr double kDeviationOfSum = 37837.2268;
  constexpr int32_t kMeanOfSum = 2 * 0xFFFF;
  const double scale = bell.deviation / kDeviationOfSum;
  std::string bytes(static_cast<size_t>(count) * sizeof(T), '\0');
  char* out = bytes.data();
  for (int64_t i = 0; i < count; ++i, out += sizeof(T)) {
    state += 0x9E37'79B9'7F4A'7C15;
    const uint64_t bits = mix(state);
    const auto sum =
        static_cast<int32_t>((bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48));
    const T value = convert(static_cast<float>(bell.mean + scale * (sum - kMeanOfSum)));
    std::memcpy(out, &value, sizeof(T));
  }
  return bytes;
}

}  // namespace

std::string seeded_values(uint64_t seed, std::string_view stream, int64_t count, Bell bell, ElementType type) {
  const uint64_t state = start_of(seed, stream);
  if (type == ElementType::kFloat16) {
    return fill<uint16_t>(state, count, bell, float16_bits);
  }
  return fill<float>(state, count, bell, [](float value) { return value; });
}

}  // namespace aaco
