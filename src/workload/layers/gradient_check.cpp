// SPDX-License-Identifier: MIT
#include "workload/layers/gradient_check.h"

#include <cmath>
#include <fmt/format.h>

namespace aaco {

double order_tolerance(Precision precision) {
  switch (precision.dtype) {
    case Dtype::kF16:
      return 8e-3;
    case Dtype::kBf16:
      return 4e-2;
    default:
      return precision.math == MathMode::kTf32 ? 8e-3 : 2e-5;
  }
}

double relative_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0;
  double size = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    const double distance = static_cast<double>(a[i]) - b[i];
    difference += distance * distance;
    size += static_cast<double>(b[i]) * b[i];
  }
  return difference == 0 ? 0 : std::sqrt(difference / size);
}

Result<void> expect_close(const std::string& what, const std::vector<float>& is, const std::vector<float>& should_be,
                          double tolerance) {
  const double difference = relative_difference(is, should_be);
  if (!(difference <= tolerance)) {
    return Error{ErrorKind::kInvalid,
                 fmt::format("{}: off by {:.3g} of its size, {:.3g} is allowed", what, difference, tolerance),
                 "the device computes something else than asked for: check its health, then report it"};
  }
  return {};
}

}  // namespace aaco
