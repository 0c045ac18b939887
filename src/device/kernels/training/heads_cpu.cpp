// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <vector>

#include "device/cpu/vector_sums.h"
#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

void run_on_cpu(const SplitHeadsArgs& args) {
  const int64_t size = size_of(args.dtype);
  const int64_t row_bytes = args.head_dim * size;
  char* out = static_cast<char*>(args.out);
  for (int64_t b = 0; b < args.batch; ++b) {
    for (int64_t h = 0; h < args.heads; ++h) {
      for (int64_t s = 0; s < args.length; ++s, out += row_bytes) {
        const int64_t from = b * args.layout.batch + s * args.layout.row + h / args.repeat * args.layout.head;
        std::memcpy(out, static_cast<const char*>(args.in) + from * size, static_cast<size_t>(row_bytes));
      }
    }
  }
}

// Sums in fp32, as on the devices, in the order of the heads.
void run_on_cpu(const MergeHeadsArgs& args) {
  std::vector<float> row(static_cast<size_t>(args.head_dim));
  std::vector<float> sum(static_cast<size_t>(args.head_dim));
  const int64_t groups = args.heads / args.repeat;
  for (int64_t i = 0; i < int64_t{args.batch} * groups * args.length; ++i) {
    const int64_t s = i % args.length;
    const int64_t g = i / args.length % groups;
    const int64_t b = i / args.length / groups;
    std::fill(sum.begin(), sum.end(), 0.0F);
    for (int64_t h = g * args.repeat; h < (g + 1) * args.repeat; ++h) {
      read_floats(args.in, args.dtype, ((b * args.heads + h) * args.length + s) * args.head_dim, args.head_dim,
                  row.data());
      cpu::add_scaled(sum.data(), 1, row.data(), args.head_dim);
    }
    write_floats(args.out, args.dtype, b * args.layout.batch + s * args.layout.row + g * args.layout.head,
                 args.head_dim, sum.data());
  }
}

}  // namespace aaco
