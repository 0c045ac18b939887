// SPDX-License-Identifier: MIT
// What a Tiny LLaMA's training step must give: loss and gradients in fp64, by automatic differentiation (tape.h),
// without a line of what devices run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

// Head size is hidden / heads, and even. Query head j reads key head j / (heads / kv_heads).
struct OracleShape {
  int64_t vocabulary = 0;
  int64_t hidden = 0;
  int64_t layers = 0;
  int64_t heads = 0;      // divides hidden
  int64_t kv_heads = 0;   // divides heads
  int64_t inner = 0;      // of the gated layer
  double epsilon = 1e-5;  // of the norms
  double theta = 10000;   // base of the rotary angles
  bool tie_head = true;   // the head is the embedding
};

// Tokens below the vocabulary, [sequences, length] each.
struct OracleBatch {
  int64_t sequences = 0;
  int64_t length = 0;
  std::vector<int32_t> inputs;
  std::vector<int32_t> targets;
};

struct OracleTensor {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<double> values;  // row-major
};

// The loss in nats, the mean of all positions; its gradients in the order of the parameters.
struct OracleLoss {
  double loss = 0;
  std::vector<std::vector<double>> gradients;
};

// The parameters that the model has, in order, all zero; products are x * W with W [in, out]:
//   embedding [vocabulary, hidden], which is also the head where that is tied;
//   of each layer i: layers.i.norm1 [hidden], layers.i.q [hidden, heads * head size], layers.i.k and layers.i.v
//   [hidden, kv_heads * head size], layers.i.o [heads * head size, hidden], layers.i.norm2 [hidden], layers.i.gate and
//   layers.i.up [hidden, inner], layers.i.down [inner, hidden]; norm [hidden]; head [vocabulary, hidden] where it is
//   not tied.
// Errors: kBug, where the shape is none.
Result<std::vector<OracleTensor>> oracle_parameters(const OracleShape& shape);

// RMSNorm (arXiv 1910.07467) before attention and before SwiGLU (arXiv 2002.05202), rotary embedding of neighbouring
// pairs (arXiv 2104.09864), grouped-query attention (arXiv 2305.13245), cross-entropy with the targets. Every
// intermediate is held until the end. Errors: kBug, where parameters are not those of oracle_parameters(), tokens are
// out of the vocabulary, or the loss is not finite.
Result<OracleLoss> oracle_gradients(const OracleShape& shape, const OracleBatch& batch,
                                    const std::vector<OracleTensor>& parameters);

}  // namespace aaco
