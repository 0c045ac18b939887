// SPDX-License-Identifier: MIT
#include "device/kernels/training/training_clock.h"
#include "device/ops/op_work.h"

namespace aaco {

void run_on_cpu(const TickArgs& args) {
  TrainingClock& clock = *args.clock;
  if (clock.step > 0 && args.loss != nullptr && args.history != nullptr) {
    double sum = 0;
    for (int64_t row = 0; row < args.rows; ++row) {
      sum += args.loss[row];
    }
    args.history[(clock.step - 1) % args.history_length] = static_cast<float>(sum / static_cast<double>(args.rows));
  }
  clock = clock_at(args, clock.step + 1);
}

}  // namespace aaco
