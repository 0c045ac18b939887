// SPDX-License-Identifier: MIT
// Denormal numbers among a model's weights: too small for a full mantissa, so that many processors compute with them in
// microcode.
#pragma once

#include <filesystem>

#include "record/recording.h"

namespace aaco {

// Of initialisers and constants in float32, bfloat16 and float64, bodies and external data included; 16-bit halves are
// widened to normal numbers before they are computed with. Reads the weights. Where they cannot be read (a file beyond
// 2 GiB, damaged external data), weights_read says how many could.
DenormalFacts count_denormal_weights(const std::filesystem::path& model);

}  // namespace aaco
