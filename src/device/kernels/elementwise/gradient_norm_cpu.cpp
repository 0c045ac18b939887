// SPDX-License-Identifier: MIT
// The reference: sums in fp64.
#include <algorithm>
#include <cmath>

#include "device/ops/op_work.h"

namespace aaco {

void run_on_cpu(const SquareSumArgs& args) {
  const int64_t stride = args.stride();
  for (int64_t part = 0; part < args.parts; ++part) {
    double sum = 0;
    for (int64_t i = part * stride; i < std::min(args.n, (part + 1) * stride); ++i) {
      sum += static_cast<double>(args.in[i]) * args.in[i];
    }
    args.out[part] = static_cast<float>(sum);
  }
}

void run_on_cpu(const ClipScaleArgs& args) {
  double sum = 0;
  for (int64_t i = 0; i < args.n; ++i) {
    sum += args.sums[i];
  }
  const double scale = args.max_norm / (std::sqrt(sum) + 1e-6);
  *args.scale = scale > 1 ? 1 : static_cast<float>(scale);  // NaN stays
}

}  // namespace aaco
