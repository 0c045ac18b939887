// SPDX-License-Identifier: MIT
// The reference: sums in fp64, the variance from the differences to the mean.
#include <algorithm>
#include <cmath>

#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

std::vector<float> row_of(const void* data, Dtype dtype, int64_t row, int64_t cols, float otherwise) {
  return data != nullptr ? read_floats(data, dtype, row * cols, cols)
                         : std::vector<float>(static_cast<size_t>(cols), otherwise);
}

double mean_of(const std::vector<float>& row) {
  double sum = 0;
  for (const float value : row) {
    sum += value;
  }
  return sum / static_cast<double>(row.size());
}

double mean_square(const std::vector<float>& row, double mean) {
  double sum = 0;
  for (const float value : row) {
    sum += (value - mean) * (value - mean);
  }
  return sum / static_cast<double>(row.size());
}

// row += add, as the type holds it, and to `sum`.
void add_row(const NormArgs& args, int64_t r, std::vector<float>& row) {
  const std::vector<float> other = read_floats(args.add, args.dtype, r * args.cols, args.cols);
  for (size_t c = 0; c < row.size(); ++c) {
    row[c] = rounded_to(args.dtype, row[c] + other[c]);
  }
  write_floats(args.sum, args.dtype, r * args.cols, args.cols, row.data());
}

}  // namespace

void run_on_cpu(const NormArgs& args) {
  const bool layer = args.kind == NormKind::kLayer;
  const std::vector<float> weight = row_of(args.weight, args.dtype, 0, args.cols, 1);
  const std::vector<float> bias = row_of(args.bias, args.dtype, 0, args.cols, 0);
  std::vector<float> row(static_cast<size_t>(args.cols));
  for (int64_t r = 0; r < args.rows; ++r) {
    read_floats(args.in, args.dtype, r * args.cols, args.cols, row.data());
    if (args.add != nullptr) {
      add_row(args, r, row);
    }
    const double mean = layer ? mean_of(row) : 0;
    const double rstd = 1 / std::sqrt(mean_square(row, mean) + args.eps);
    for (int64_t c = 0; c < args.cols; ++c) {
      const double normalised = (row[c] - mean) * rstd;
      row[c] = static_cast<float>(normalised * weight[c] + (layer ? bias[c] : 0));
    }
    write_floats(args.out, args.dtype, r * args.cols, args.cols, row.data());
    if (layer && args.mean != nullptr) {
      args.mean[r] = static_cast<float>(mean);
    }
    if (args.rstd != nullptr) {
      args.rstd[r] = static_cast<float>(rstd);
    }
  }
}

// With h the normalised input and g = out_grad * weight: in_grad = rstd * (g - mean(g) - h * mean(g * h)), where kRms
// has no mean(g).
void run_on_cpu(const NormGradArgs& args) {
  const bool layer = args.kind == NormKind::kLayer;
  const auto cols = static_cast<size_t>(args.cols);
  const std::vector<float> weight = row_of(args.weight, args.dtype, 0, args.cols, 1);
  std::vector<float> row(cols);
  std::vector<float> grad(cols);
  std::vector<double> weight_sum(cols);
  std::vector<double> bias_sum(cols);
  int64_t part = 0;
  for (int64_t r = 0; r < args.rows; ++r) {
    read_floats(args.in, args.dtype, r * args.cols, args.cols, row.data());
    read_floats(args.out_grad, args.dtype, r * args.cols, args.cols, grad.data());
    const double mean = layer ? args.mean[r] : 0;
    const double rstd = args.rstd[r];
    double sum = 0;
    double inner = 0;
    for (size_t c = 0; c < cols; ++c) {
      const double normalised = (row[c] - mean) * rstd;
      const double weighted = static_cast<double>(grad[c]) * weight[c];
      sum += weighted;
      inner += weighted * normalised;
      weight_sum[c] += grad[c] * normalised;
      bias_sum[c] += grad[c];
    }
    const double mean_sum = layer ? sum / static_cast<double>(cols) : 0;
    const double mean_inner = inner / static_cast<double>(cols);
    const std::vector<float> add = row_of(args.add, args.dtype, r, args.cols, 0);
    for (size_t c = 0; c < cols; ++c) {
      const double normalised = (row[c] - mean) * rstd;
      const double weighted = static_cast<double>(grad[c]) * weight[c];
      grad[c] = static_cast<float>(add[c] + rstd * (weighted - mean_sum - normalised * mean_inner));
    }
    write_floats(args.in_grad, args.dtype, r * args.cols, args.cols, grad.data());
    if (args.partial != nullptr && r + 1 == args.rows * (part + 1) / norm_grad_parts(args.rows)) {
      std::copy(weight_sum.begin(), weight_sum.end(), args.partial + part * args.cols);
      std::fill(weight_sum.begin(), weight_sum.end(), 0);
      ++part;
    }
  }
  if (args.partial != nullptr && args.rows == 0) {
    std::fill_n(args.partial, args.cols, 0.0F);
  }
  for (size_t c = 0; c < cols; ++c) {
    if (args.weight_grad != nullptr && args.partial == nullptr) {
      args.weight_grad[c] = static_cast<float>(args.weight_grad[c] + weight_sum[c]);
    }
    if (args.bias_grad != nullptr) {
      args.bias_grad[c] = static_cast<float>(args.bias_grad[c] + bias_sum[c]);
    }
  }
  if (args.weight_grad != nullptr && args.partial != nullptr) {
    run_on_cpu(SumPartsArgs{args.partial, args.weight_grad, 1, norm_grad_parts(args.rows), args.cols});
  }
}

}  // namespace aaco
