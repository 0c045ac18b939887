// SPDX-License-Identifier: MIT
// The reference: fp64 within an element.
#include <cmath>
#include <vector>

#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

void run_on_cpu(const BinaryCrossEntropyArgs& args) {
  std::vector<float> values = read_floats(args.score, args.dtype, 0, args.n);
  for (int64_t i = 0; i < args.n; ++i) {
    const double score = values[static_cast<size_t>(i)];
    const double target = args.target[i];
    const double weight = args.weight[i];
    // NaN stays NaN in both.
    args.loss[i] = static_cast<float>(
        weight * ((score < 0 ? 0 : score) + std::log1p(std::exp(-std::abs(score))) - target * score));
    values[static_cast<size_t>(i)] = static_cast<float>(args.scale * weight * (1 / (1 + std::exp(-score)) - target));
  }
  write_floats(args.grad, args.dtype, 0, args.n, values.data());
}

}  // namespace aaco
