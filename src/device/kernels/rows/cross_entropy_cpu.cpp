// SPDX-License-Identifier: MIT
// The reference: exponentials and sums in fp64.
#include <algorithm>
#include <cmath>
#include <limits>

#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

void run_on_cpu(const CrossEntropyArgs& args) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<float> row(static_cast<size_t>(args.cols));
  std::vector<double> weights(static_cast<size_t>(args.cols));
  for (int64_t r = 0; r < args.rows; ++r) {
    read_floats(args.logits, args.dtype, r * args.cols, args.cols, row.data());
    double most = -std::numeric_limits<double>::infinity();
    for (const float logit : row) {
      most = std::max<double>(most, logit);
    }
    double sum = 0;
    for (int64_t c = 0; c < args.cols; ++c) {
      weights[c] = std::exp(row[c] - most);
      sum += weights[c];
    }
    const int64_t target = args.targets[r];
    const bool valid = target >= 0 && target < args.cols;
    args.loss[r] = static_cast<float>(valid ? std::log(sum) - (row[target] - most) : kNan);
    if (args.grad == nullptr) {
      continue;
    }
    for (int64_t c = 0; c < args.cols; ++c) {
      const double softmax = valid ? weights[c] / sum : kNan;
      row[c] = static_cast<float>(args.scale * (softmax - (c == target ? 1 : 0)));
    }
    write_floats(args.grad, args.dtype, r * args.cols, args.cols, row.data());
  }
}

}  // namespace aaco
