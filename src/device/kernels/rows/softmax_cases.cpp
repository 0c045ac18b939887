// SPDX-License-Identifier: MIT
#include <limits>

#include "device/check/case_shapes.h"
#include "device/check/op_case.h"

namespace aaco {

namespace {

constexpr const char* kWhy = "the exponent's rounding, up to 16 units of 2^-24, exp, and fp32 sums of positive terms";
constexpr const char* kWhyGrad = "fp32 sums; relative to scale * y * (|g| + the sum of |g y|)";

void add(std::vector<OpCase>& cases, const MatrixShape& shape, Dtype dtype, bool unaligned) {
  const int64_t n = shape.rows * shape.cols;
  const std::string name = text_of(shape, dtype) + (unaligned ? ", unaligned" : "");
  cases.push_back(make_case<SoftmaxArgs>(name, 5e-6, kWhy, [=](CaseMemory& memory, SoftmaxArgs& args) {
    args = {memory.random(dtype, n, -4, 4), memory.output(dtype, n, 0), shape.rows, shape.cols, -1.7F, dtype};
  }));
  cases.back().unaligned = unaligned;
  const double largest = 2 / static_cast<double>(std::max<int64_t>(1, shape.cols));
  cases.push_back(make_case<SoftmaxGradArgs>(name, 2e-6, kWhyGrad, [=](CaseMemory& memory, SoftmaxGradArgs& args) {
    args.out = memory.random(dtype, n, 0, largest);
    args.out_grad = memory.random(dtype, n, -1, 1);
    args.in_grad = memory.output(dtype, n, largest);
    args.rows = shape.rows;
    args.cols = shape.cols;
    args.scale = 0.7F;
    args.dtype = dtype;
  }));
  cases.back().unaligned = unaligned;
}

// Row 0: -infinity except at its end; 1: -infinity alone; 2: one NaN; 3: one +infinity; 4: large numbers.
double special_value(int64_t i, int64_t cols) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const int64_t row = i / cols;
  const int64_t col = i % cols;
  if (row < 2) {
    return row == 0 && col == cols - 1 ? 1 : -kInfinity;
  }
  if (row < 4 && col == cols / 2) {
    return row == 2 ? std::numeric_limits<double>::quiet_NaN() : kInfinity;
  }
  return row == 4 ? 1e30 : static_cast<double>(col % 5);
}

void add_special(std::vector<OpCase>& cases, int64_t cols) {
  constexpr int64_t kRows = 5;
  cases.push_back(make_case<SoftmaxArgs>(
      "special values, cols " + std::to_string(cols), 5e-6, kWhy, [=](CaseMemory& memory, SoftmaxArgs& args) {
        args.in = memory.given(Dtype::kF32, kRows * cols, [=](int64_t i) { return special_value(i, cols); });
        args.out = memory.output(Dtype::kF32, kRows * cols, 0);
        args.rows = kRows;
        args.cols = cols;
      }));
}

}  // namespace

std::vector<OpCase> softmax_cases() {
  std::vector<OpCase> cases;
  for (const Dtype dtype : kFloatTypes) {
    for (const MatrixShape& shape : kMatrices) {
      add(cases, shape, dtype, false);
    }
    add(cases, {7, 512}, dtype, true);
    add(cases, {3, 2048}, dtype, true);
  }
  for (const int64_t cols : {100, 2048, 20000}) {
    add_special(cases, cols);
  }
  return cases;
}

}  // namespace aaco
