// SPDX-License-Identifier: MIT
#include "workload/layers/product_check.h"

#include "workload/layers/closeness.h"

namespace aaco {

Result<void> check_product_row(DeviceReader& reader, const std::string& what, const Tensor& a, const Tensor& b,
                               const Tensor& c, Precision precision) {
  const int64_t last = c.rows() - 1;
  const int64_t k = b.rows();
  const int64_t n = b.cols();
  AACO_ASSIGN(const std::vector<float> factors, reader.floats(a.view(last * k, {k})));
  AACO_ASSIGN(const std::vector<float> matrix, reader.floats(b));
  AACO_ASSIGN(const std::vector<float> is, reader.floats(c.view(last * n, {n})));
  std::vector<double> sums(static_cast<size_t>(n));
  const float* row = matrix.data();
  for (const float factor : factors) {
    for (double& sum : sums) {
      sum += static_cast<double>(factor) * *row++;
    }
  }
  std::vector<float> should_be;
  should_be.reserve(sums.size());
  for (const double sum : sums) {
    should_be.push_back(static_cast<float>(sum));
  }
  return expect_close("last row of " + what, is, should_be, order_tolerance(precision));
}

}  // namespace aaco
