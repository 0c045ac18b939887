// SPDX-License-Identifier: MIT
// One block: a step's loss is short, and its order fixed.
#include "device/gpu/portability.h"
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/training/training_clock.h"

namespace aaco::gpu {

namespace {

constexpr uint32_t kTickBlock = 1024;

AACO_KERNEL void tick_kernel(TickArgs args) {
  AACO_SHARED double scratch[32];
  const int32_t step = args.clock->step;
  sync_block();  // all have read it
  if (step > 0 && args.loss != nullptr && args.history != nullptr) {
    double sum = 0;
    AACO_UNROLL_BY_4
    for (int64_t row = thread_x(); row < args.rows; row += kTickBlock) {
      sum += static_cast<double>(args.loss[row]);
    }
    sum = block_sum(sum, scratch);
    if (thread_x() == 0) {
      args.history[(step - 1) % args.history_length] = static_cast<float>(sum / static_cast<double>(args.rows));
    }
  }
  if (thread_x() == 0) {
    *args.clock = clock_at(args, step + 1);
  }
}

}  // namespace

void run_on_gpu(StreamContext& stream, const TickArgs& args) {
  launch<tick_kernel>(stream, {1, 1, 1}, kTickBlock, 0, args);
}

}  // namespace aaco::gpu
