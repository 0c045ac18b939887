// SPDX-License-Identifier: MIT
#include <algorithm>

#include "device/ops/op_work.h"

namespace aaco {

void run_on_cpu(const TokenBatchArgs& args) {
  const int64_t batch = args.clock->batch;
  const bool exists = batch >= 0 && batch < args.batches;
  for (int64_t i = 0; i < args.sequences; ++i) {
    int32_t* inputs = args.inputs + i * args.length;
    int32_t* targets = args.targets + i * args.length;
    if (exists) {
      const int32_t* tokens = args.tokens + (batch * args.sequences + i) * (args.length + 1);
      std::copy_n(tokens, args.length, inputs);
      std::copy_n(tokens + 1, args.length, targets);
    } else {
      std::fill_n(inputs, args.length, -1);
      std::fill_n(targets, args.length, -1);
    }
  }
}

}  // namespace aaco
