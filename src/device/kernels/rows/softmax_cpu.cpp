// SPDX-License-Identifier: MIT
// The reference: exponentials and sums in fp64. A row with NaN or +infinity, or of -infinity alone, becomes NaN.
#include <algorithm>
#include <cmath>
#include <limits>

#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

void run_on_cpu(const SoftmaxArgs& args) {
  std::vector<float> row(static_cast<size_t>(args.cols));
  std::vector<double> weights(static_cast<size_t>(args.cols));
  for (int64_t r = 0; r < args.rows; ++r) {
    read_floats(args.in, args.dtype, r * args.cols, args.cols, row.data());
    double most = -std::numeric_limits<double>::infinity();
    for (int64_t c = 0; c < args.cols; ++c) {
      weights[c] = static_cast<double>(args.scale) * row[c];
      most = std::max(most, weights[c]);
    }
    double sum = 0;
    for (double& weight : weights) {
      weight = std::exp(weight - most);
      sum += weight;
    }
    for (int64_t c = 0; c < args.cols; ++c) {
      row[c] = static_cast<float>(weights[c] / sum);
    }
    write_floats(args.out, args.dtype, r * args.cols, args.cols, row.data());
  }
}

void run_on_cpu(const SoftmaxGradArgs& args) {
  std::vector<float> out(static_cast<size_t>(args.cols));
  std::vector<float> grad(static_cast<size_t>(args.cols));
  for (int64_t r = 0; r < args.rows; ++r) {
    read_floats(args.out, args.dtype, r * args.cols, args.cols, out.data());
    read_floats(args.out_grad, args.dtype, r * args.cols, args.cols, grad.data());
    double inner = 0;
    for (int64_t c = 0; c < args.cols; ++c) {
      inner += static_cast<double>(out[c]) * grad[c];
    }
    for (int64_t c = 0; c < args.cols; ++c) {
      grad[c] = static_cast<float>(static_cast<double>(args.scale) * out[c] * (grad[c] - inner));
    }
    write_floats(args.in_grad, args.dtype, r * args.cols, args.cols, grad.data());
  }
}

}  // namespace aaco
