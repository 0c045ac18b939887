// SPDX-License-Identifier: MIT
// Convolution, pooling, images.
#include <string>

#include "device/check/op_case.h"
#include "device/ops/conv_shape.h"

namespace aaco {

namespace {

struct Bound {
  double relative;
  const char* why;
};

// As with matrix products: libraries without an epilogue round a 16-bit sum before the bias is added to it.
Bound bound_of(const ConvArgs& shape, bool bias) {
  if (shape.math == MathMode::kTf32) {
    return {2e-3, "inputs rounded to 11 bits, two per product"};
  }
  if (bias && shape.dtype != Dtype::kF32) {
    return {shape.dtype == Dtype::kBf16 ? 0x1p-9 : 0x1p-12, "the sum may be rounded before the bias is added"};
  }
  return {2e-6, "fp32 sums in another order; relative to the sum of the products' magnitudes"};
}

void add_conv(std::vector<OpCase>& cases, ConvArgs shape, bool bias, Dtype dtype) {
  shape.dtype = dtype;
  const ConvShape sizes = shape_of(shape);
  const std::string name = std::to_string(shape.n) + " x " + std::to_string(shape.c) + " x " + std::to_string(shape.h) +
                           " x " + std::to_string(shape.w) + ", " + std::to_string(shape.o) + " filters of " +
                           std::to_string(shape.r) + " x " + std::to_string(shape.s) + ", stride " +
                           std::to_string(shape.stride) + " " + name_of(dtype) + (bias ? ", bias" : "") +
                           (shape.relu != 0 ? ", ReLU" : "") + (shape.math == MathMode::kTf32 ? ", tf32" : "");
  const Bound bound = bound_of(shape, bias);
  cases.push_back(make_case<ConvArgs>(name, bound.relative, bound.why, [=](CaseMemory& memory, ConvArgs& args) {
    args = shape;
    args.in = memory.random(dtype, int64_t{shape.n} * shape.c * shape.h * shape.w, -1, 1);
    args.weight = memory.random(dtype, shape.o * sizes.filter_size(), -1, 1);
    args.bias = bias ? memory.random(dtype, shape.o, -1, 1) : nullptr;
    args.out = memory.output(dtype, int64_t{shape.n} * shape.o * sizes.out_pixels(),
                             1 + static_cast<double>(sizes.filter_size()) / 4);
  }));
}

void add_pool(std::vector<OpCase>& cases, const PoolArgs& shape) {
  const std::string name = std::string(shape.kind == PoolKind::kMax ? "max of " : "mean of ") +
                           std::to_string(shape.planes) + " x " + std::to_string(shape.h) + " x " +
                           std::to_string(shape.w) + ", window " + std::to_string(shape.window) + " " +
                           name_of(shape.dtype);
  cases.push_back(make_case<PoolArgs>(
      name, shape.kind == PoolKind::kMax ? 0 : 1e-6, "fp32 sums", [=](CaseMemory& memory, PoolArgs& args) {
        args = shape;
        const int64_t results = shape.planes * (shape.h / shape.window) * (shape.w / shape.window);
        args.in = memory.random(shape.dtype, shape.planes * shape.h * shape.w, -1, 1);
        args.out = memory.output(shape.dtype, results, 1);
      }));
}

void add_image(std::vector<OpCase>& cases, ImageArgs shape, bool flips) {
  for (int i = 0; i < shape.c; ++i) {
    shape.mean[i] = 0.4F + 0.05F * static_cast<float>(i);
    shape.deviation[i] = 0.2F + 0.02F * static_cast<float>(i);
  }
  cases.push_back(make_case<ImageArgs>(
      std::to_string(shape.n) + " images of " + std::to_string(shape.h) + " x " + std::to_string(shape.w) + " " +
          name_of(shape.dtype) + (flips ? ", some mirrored" : ""),
      1e-6, "two divisions, a difference of numbers up to 5", [=](CaseMemory& memory, ImageArgs& args) {
        args = shape;
        const int64_t n = int64_t{shape.n} * shape.c * shape.h * shape.w;
        args.in = static_cast<const uint8_t*>(memory.random(Dtype::kU8, n, 0, 256));
        args.flip = flips ? static_cast<const uint8_t*>(memory.random(Dtype::kU8, shape.n, 0, 2)) : nullptr;
        args.out = memory.output(shape.dtype, n, 5);
      }));
}

}  // namespace

std::vector<OpCase> conv_cases() {
  std::vector<OpCase> cases;
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    add_conv(cases, {.n = 2, .c = 3, .h = 17, .w = 13, .o = 70, .r = 3, .s = 3, .pad = 1, .relu = 1}, true, dtype);
    add_conv(cases, {.n = 2, .c = 3, .h = 17, .w = 13, .o = 70, .r = 3, .s = 3, .pad = 1, .relu = 1}, false, dtype);
    add_conv(cases, {.n = 2, .c = 32, .h = 16, .w = 16, .o = 32, .r = 3, .s = 3, .pad = 1}, false, dtype);
    add_conv(cases, {.n = 3, .c = 5, .h = 9, .w = 8, .o = 7, .r = 5, .s = 2, .pad = 2, .stride = 2}, false, dtype);
    add_conv(cases, {.n = 1, .c = 40, .h = 6, .w = 5, .o = 130, .r = 1, .s = 1}, true, dtype);
    add_conv(cases, {.n = 2, .c = 3, .h = 8, .w = 8, .o = 5, .r = 3, .s = 3, .pad = 1}, true, dtype);  // in packs
    add_conv(cases, {.n = 1, .c = 2, .h = 2, .w = 2, .o = 3, .r = 3, .s = 3}, true, dtype);            // no results
    add_pool(cases, {.planes = 6, .h = 9, .w = 7, .window = 2, .kind = PoolKind::kMax, .dtype = dtype});
    add_pool(cases, {.planes = 3, .h = 7, .w = 48, .window = 2, .kind = PoolKind::kMax, .dtype = dtype});  // packs
    add_pool(cases, {.planes = 4, .h = 6, .w = 32, .window = 2, .kind = PoolKind::kMean, .dtype = dtype});
    add_pool(cases, {.planes = 5, .h = 8, .w = 8, .window = 8, .kind = PoolKind::kMean, .dtype = dtype});
    add_pool(cases, {.planes = 2, .h = 11, .w = 300, .window = 3, .kind = PoolKind::kMean, .dtype = dtype});
    add_image(cases, {.n = 5, .c = 3, .h = 7, .w = 9, .dtype = dtype}, true);
    add_image(cases, {.n = 1, .c = 1, .h = 3, .w = 300, .dtype = dtype}, false);
  }
  add_conv(cases,
           {.n = 2, .c = 32, .h = 16, .w = 16, .o = 32, .r = 3, .s = 3, .pad = 1, .relu = 1, .math = MathMode::kTf32},
           true, Dtype::kF32);
  return cases;
}

}  // namespace aaco
