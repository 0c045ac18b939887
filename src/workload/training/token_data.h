// SPDX-License-Identifier: MIT
// What is trained on.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/training/llama_config.h"

namespace aaco {

// Tokens [batches, sequences, length + 1] of the rank's part of each batch; all ranks' together are the same for the
// same seed. Learnable: after token t comes, with probability 0.9, one that t alone decides (a permutation), else any:
// a model that has learnt it has a loss near 0.9 ln(1 / 0.9) + 0.1 ln(10 vocabulary). Otherwise every token is drawn
// uniformly.
std::vector<int32_t> make_tokens(const LlamaConfig& config);

}  // namespace aaco
