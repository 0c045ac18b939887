// SPDX-License-Identifier: MIT
// In fp32, as every kernel does it: with one order there is one result.
#include <algorithm>
#include <vector>

#include "device/cpu/vector_sums.h"
#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

void run_on_cpu(const GatherGradArgs& args) {
  if (args.accumulate == 0) {
    std::fill_n(args.out, args.out_rows * args.cols, 0.0F);
  }
  std::vector<float> row(static_cast<size_t>(args.cols));
  const float share = 1 / static_cast<float>(args.pool);
  for (int64_t i = 0; i < args.count; ++i) {
    if (const int64_t id = args.ids[i]; id >= 0 && id < args.out_rows) {
      read_floats(args.in, args.in_dtype, i / args.pool * args.cols, args.cols, row.data());
      cpu::add_scaled(args.out + id * args.cols, share, row.data(), args.cols);
    }
  }
}

}  // namespace aaco
