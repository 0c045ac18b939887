// SPDX-License-Identifier: MIT
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011), and how its words
// become numbers of a range. One copy for the host and every kind of kernel, so that all give the same bits.
#pragma once

#include <cstdint>

#include "device/kernels/host_and_device.h"

namespace aaco {

struct PhiloxBlock {
  uint32_t word[4];
};

AACO_HOST_AND_DEVICE inline PhiloxBlock philox(PhiloxBlock counter, uint64_t key) {
  auto key0 = static_cast<uint32_t>(key);
  auto key1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53U} * counter.word[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57U} * counter.word[2];
    counter = {{static_cast<uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0, static_cast<uint32_t>(product1),
                static_cast<uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1, static_cast<uint32_t>(product0)}};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return counter;
}

// The words of elements 4 * block to 4 * block + 3.
AACO_HOST_AND_DEVICE inline PhiloxBlock philox_block(uint64_t block, uint64_t seed) {
  return philox({{static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0}}, seed);
}

// A random operation's range as the kernels take it. The product of a word's upper 24 bits and the 24 bits of `span` is
// exact in fp64, so that it does not matter whether a compiler fuses it with the sum.
struct UniformRange {
  double low = 0;
  double span = 0;          // fp32
  float below_high = 0;     // the largest value of the type that is less than its `high`
  int64_t low_integer = 0;  // for integers
  uint64_t integers = 0;    // how many there are, at most 2^32
};

// Uniform in [low, high); stays below `high` when it is rounded to the type.
AACO_HOST_AND_DEVICE inline float uniform_float(uint32_t word, const UniformRange& range) {
  const auto value = static_cast<float>(range.low + static_cast<double>(word >> 8) * 0x1p-24 * range.span);
  return value < range.below_high ? value : range.below_high;
}

// Each integer of the range, up to 2^-32 * integers more or less often than another.
AACO_HOST_AND_DEVICE inline int64_t uniform_integer(uint32_t word, const UniformRange& range) {
  return range.low_integer + static_cast<int64_t>((word * range.integers) >> 32);
}

}  // namespace aaco
