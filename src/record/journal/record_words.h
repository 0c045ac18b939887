// SPDX-License-Identifier: MIT
// Parts of the words that a record of an event journal is made of.
#pragma once

#include <cstdint>

namespace aaco {

constexpr uint32_t low_half(uint64_t word) { return static_cast<uint32_t>(word); }
constexpr uint32_t high_half(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
constexpr uint8_t byte_of(uint64_t word, int index) { return static_cast<uint8_t>(word >> (8 * index)); }

}  // namespace aaco
