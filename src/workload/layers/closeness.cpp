// SPDX-License-Identifier: MIT
#include "workload/layers/closeness.h"

#include <cmath>
#include <fmt/format.h>

namespace aaco {

double order_tolerance(Precision precision) {
  switch (precision.dtype) {
    case Dtype::kF16:
      return 1e-2;
    case Dtype::kBf16:
      return 4e-2;
    default:
      return precision.math == MathMode::kTf32 ? 1e-2 : 2e-5;
  }
}

double relative_difference(const std::vector<float>& is, const std::vector<float>& should_be) {
  double difference = 0;
  double size = 0;
  for (size_t i = 0; i < should_be.size(); ++i) {
    const double distance = static_cast<double>(is[i]) - should_be[i];
    difference += distance * distance;
    size += static_cast<double>(should_be[i]) * should_be[i];
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
