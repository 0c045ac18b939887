// SPDX-License-Identifier: MIT
// Random weights that are the same bytes on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/seeded_random.h"
#include "model/tensor.h"

namespace aaco {

// `count` bell-shaped values of the sequence of `seed` and `stream`, packed little-endian as `type` (kFloat or
// kFloat16).
std::string seeded_values(uint64_t seed, std::string_view stream, int64_t count, Bell bell, ElementType type);

}  // namespace aaco
