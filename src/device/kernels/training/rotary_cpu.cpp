// SPDX-License-Identifier: MIT
// The reference: products and sums in fp64, of a cosine and a sine in fp32.
#include <vector>

#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

void run_on_cpu(const RotaryArgs& args) {
  const int64_t cols = int64_t{args.heads} * args.head_dim;
  std::vector<float> row(static_cast<size_t>(cols));
  for (int64_t r = 0; r < args.rows; ++r) {
    read_floats(args.in, args.dtype, r * args.pitch, cols, row.data());
    const float* angles = args.table + r % args.length * args.head_dim;
    for (int64_t c = 0; c < cols; c += 2) {
      const double cosine = angles[c % args.head_dim];
      const double sine = args.inverse != 0 ? -angles[c % args.head_dim + 1] : angles[c % args.head_dim + 1];
      const double x = row[c];
      const double y = row[c + 1];
      row[c] = static_cast<float>(x * cosine - y * sine);
      row[c + 1] = static_cast<float>(x * sine + y * cosine);
    }
    write_floats(args.out, args.dtype, r * args.pitch, cols, row.data());
  }
}

}  // namespace aaco
