// SPDX-License-Identifier: MIT
// Pooling and the preparation of images on the CPU.
#include <vector>

#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

// The largest, or NaN if one is; or the mean of fp32 sums.
float pooled(const PoolArgs& args, const float* corner) {
  float largest = *corner;
  float sum = 0;
  for (int64_t y = 0; y < args.window; ++y) {
    for (int64_t x = 0; x < args.window; ++x) {
      const float value = corner[y * args.w + x];
      largest = value > largest || value != value ? value : largest;
      sum += value;
    }
  }
  return args.kind == PoolKind::kMax ? largest : sum / static_cast<float>(args.window * args.window);
}

}  // namespace

void run_on_cpu(const PoolArgs& args) {
  const int64_t out_h = args.h / args.window;
  const int64_t out_w = args.w / args.window;
  const int64_t size = int64_t{args.h} * args.w;
  std::vector<float> results(static_cast<size_t>(out_h * out_w));
  for (int64_t plane = 0; plane < args.planes; ++plane) {
    const std::vector<float> in = read_floats(args.in, args.dtype, plane * size, size);
    for (int64_t i = 0; i < out_h * out_w; ++i) {
      results[i] = pooled(args, in.data() + i / out_w * args.window * args.w + i % out_w * args.window);
    }
    write_floats(args.out, args.dtype, plane * out_h * out_w, out_h * out_w, results.data());
  }
}

void run_on_cpu(const ImageArgs& args) {
  std::vector<float> results(static_cast<size_t>(args.w));
  for (int64_t row = 0; row < int64_t{args.n} * args.c * args.h; ++row) {
    const int64_t channel = row / args.h % args.c;
    const bool mirrored = args.flip != nullptr && args.flip[row / args.h / args.c] != 0;
    for (int64_t x = 0; x < args.w; ++x) {
      const uint8_t byte = args.in[row * args.w + (mirrored ? args.w - 1 - x : x)];
      results[x] = (static_cast<float>(byte) / 255 - args.mean[channel]) / args.deviation[channel];
    }
    write_floats(args.out, args.dtype, row * args.w, args.w, results.data());
  }
}

}  // namespace aaco
