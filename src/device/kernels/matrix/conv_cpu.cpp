// SPDX-License-Identifier: MIT
// Convolution on the CPU: the patches that a tile of output pixels sees become the columns of a matrix, which the
// filters multiply. fp16 and bf16 are widened; tf32 is computed in fp32.
#include <algorithm>
#include <vector>

#include "device/cpu/blas.h"
#include "device/ops/conv_shape.h"
#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

constexpr int64_t kPatchElements = int64_t{1} << 19;  // 2 MiB of patches at a time

// patches[f, p] = what filter element f meets at output pixel first + p of the image.
void fill_patches(const ConvArgs& args, const ConvShape& shape, const std::vector<float>& image, int64_t first,
                  int64_t count, std::vector<float>& patches) {
  for (int32_t f = 0; f < shape.filter; ++f) {
    const int32_t channel = f / (args.r * args.s);
    const int32_t row = f / args.s % args.r;
    const int32_t col = f % args.s;
    const int64_t plane = int64_t{channel} * args.h;
    for (int64_t p = 0; p < count; ++p) {
      const int64_t y = (first + p) / shape.out_w * args.stride - args.pad + row;
      const int64_t x = (first + p) % shape.out_w * args.stride - args.pad + col;
      const bool inside = y >= 0 && y < args.h && x >= 0 && x < args.w;
      patches[f * count + p] = inside ? image[(plane + y) * args.w + x] : 0;
    }
  }
}

}  // namespace

void run_on_cpu(const ConvArgs& args) {
  const ConvShape shape = shape_of(args);
  const int64_t pixels = shape.out_pixels();
  const int64_t tile = std::clamp<int64_t>(kPatchElements / std::max(1, shape.filter), 1, std::max<int64_t>(1, pixels));
  const std::vector<float> weight = read_floats(args.weight, args.dtype, 0, args.o * shape.filter_size());
  const std::vector<float> bias = args.bias != nullptr ? read_floats(args.bias, args.dtype, 0, args.o)
                                                       : std::vector<float>(static_cast<size_t>(args.o), 0.0F);
  const int64_t image_size = int64_t{args.c} * args.h * args.w;
  std::vector<float> patches(static_cast<size_t>(shape.filter_size() * tile));
  std::vector<float> product(static_cast<size_t>(args.o * tile));
  for (int64_t n = 0; n < args.n; ++n) {
    const std::vector<float> image = read_floats(args.in, args.dtype, n * image_size, image_size);
    for (int64_t first = 0; first < pixels; first += tile) {
      const int64_t count = std::min(tile, pixels - first);
      fill_patches(args, shape, image, first, count, patches);
      cpu::multiply(
          {weight.data(), patches.data(), product.data(), args.o, count, shape.filter, shape.filter, count, count});
      for (int64_t o = 0; o < args.o; ++o) {
        float* row = product.data() + o * count;
        std::transform(row, row + count, row, [&](float sum) {
          const float value = sum + bias[o];
          return args.relu != 0 && value < 0 ? 0 : value;  // NaN stays
        });
        write_floats(args.out, args.dtype, (n * args.o + o) * pixels + first, count, row);
      }
    }
  }
}

}  // namespace aaco
