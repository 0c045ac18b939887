// SPDX-License-Identifier: MIT
#include "model/builtin/seeded_values.h"

#include <cstring>

#include "model/float16.h"

namespace aaco {

namespace {

template <class T, class Convert>
std::string fill(SeededRandom random, int64_t count, Bell bell, Convert convert) {
  std::string bytes(static_cast<size_t>(count) * sizeof(T), '\0');
  char* out = bytes.data();
  for (int64_t i = 0; i < count; ++i, out += sizeof(T)) {
    const T value = convert(static_cast<float>(random.bell(bell)));
    std::memcpy(out, &value, sizeof(T));
  }
  return bytes;
}

}  // namespace

std::string seeded_values(uint64_t seed, std::string_view stream, int64_t count, Bell bell, ElementType type) {
  const SeededRandom random(seed, stream);
  if (type == ElementType::kFloat16) {
    return fill<uint16_t>(random, count, bell, float16_bits);
  }
  return fill<float>(random, count, bell, [](float value) { return value; });
}

}  // namespace aaco
