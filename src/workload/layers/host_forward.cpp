// SPDX-License-Identifier: MIT
#include "workload/layers/host_forward.h"

namespace aaco {

Result<std::vector<float>> forward_on_host(DeviceReader& reader, const Dense& layer, const std::vector<float>& row,
                                           bool relu) {
  AACO_ASSIGN(const std::vector<float> weight, reader.floats(layer.weight));
  AACO_ASSIGN(const std::vector<float> bias, reader.floats(layer.bias));
  std::vector<double> sums(bias.begin(), bias.end());
  for (size_t k = 0; k < row.size(); ++k) {
    for (size_t n = 0; n < sums.size(); ++n) {
      sums[n] += static_cast<double>(row[k]) * weight[k * sums.size() + n];
    }
  }
  std::vector<float> out;
  for (const double sum : sums) {
    out.push_back(static_cast<float>(relu && sum < 0 ? 0 : sum));
  }
  return out;
}

}  // namespace aaco
