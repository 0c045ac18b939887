// SPDX-License-Identifier: MIT
// Matrix products on the CPU. fp16 and bf16 are widened to fp32 and multiplied as such; MathMode::kTf32 is computed in
// fp32, which is nearer to the exact result than tf32 is.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "device/cpu/blas.h"
#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

// One matrix as fp32: itself, or a widened copy without gaps between its rows.
struct Operand {
  const float* data = nullptr;
  int64_t row_length = 0;
  std::vector<float> widened;

  void take(const void* from, Dtype dtype, int64_t first, int64_t rows, int64_t cols, int64_t stored_row_length) {
    if (dtype == Dtype::kF32) {
      data = static_cast<const float*>(from) + first;
      row_length = stored_row_length;
      return;
    }
    widened.resize(static_cast<size_t>(rows * cols));
    for (int64_t row = 0; row < rows; ++row) {
      read_floats(from, dtype, first + row * stored_row_length, cols, widened.data() + row * cols);
    }
    data = widened.data();
    row_length = cols;
  }
};

float activated(float value, Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::kBiasRelu:
      return value < 0 ? 0 : value;  // NaN stays
    case Epilogue::kBiasGelu:
      return 0.5F * value * (1 + std::erf(value / std::numbers::sqrt2_v<float>));
    case Epilogue::kNone:
    case Epilogue::kBias:
      break;
  }
  return value;
}

// From the product in fp32, whose rows follow each other at `product_row`, to c.
void finish(const GemmArgs& args, float* product, int64_t product_row, int64_t first_c) {
  const bool has_bias = args.epilogue != Epilogue::kNone && args.bias != nullptr;
  const std::vector<float> bias = has_bias ? read_floats(args.bias, args.out_dtype, 0, args.n)
                                           : std::vector<float>(static_cast<size_t>(args.n), 0.0F);
  for (int64_t i = 0; i < args.m; ++i) {
    float* row = product + i * product_row;
    std::transform(row, row + args.n, bias.begin(), row,
                   [&](float sum, float shift) { return activated(sum + shift, args.epilogue); });
    write_floats(args.c, args.out_dtype, first_c + i * args.ldc, args.n, row);
  }
}

}  // namespace

void run_on_cpu(const GemmArgs& args) {
  const bool ta = args.transpose_a != 0;
  const bool tb = args.transpose_b != 0;
  const bool direct = args.out_dtype == Dtype::kF32;
  Operand a;
  Operand b;
  std::vector<float> product(direct ? 0 : static_cast<size_t>(args.m * args.n));
  for (int64_t i = 0; i < args.batch; ++i) {
    if (i == 0 || args.stride_a != 0) {
      a.take(args.a, args.in_dtype, i * args.stride_a, ta ? args.k : args.m, ta ? args.m : args.k, args.lda);
    }
    if (i == 0 || args.stride_b != 0) {
      b.take(args.b, args.in_dtype, i * args.stride_b, tb ? args.n : args.k, tb ? args.k : args.n, args.ldb);
    }
    const int64_t first_c = i * args.stride_c;
    float* c = direct ? static_cast<float*>(args.c) + first_c : product.data();
    const int64_t c_row = direct ? args.ldc : args.n;
    if (!direct && args.beta != 0) {
      for (int64_t row = 0; row < args.m; ++row) {
        read_floats(args.c, args.out_dtype, first_c + row * args.ldc, args.n, product.data() + row * args.n);
      }
    }
    cpu::multiply(
        {a.data, b.data, c, args.m, args.n, args.k, a.row_length, b.row_length, c_row, ta, tb, args.alpha, args.beta});
    if (!direct || args.epilogue != Epilogue::kNone) {
      finish(args, c, c_row, first_c);
    }
  }
}

}  // namespace aaco
