// SPDX-License-Identifier: MIT
// What the clock is at a step, to the same bits on the host and in every kind of kernel: products, quotients and sums
// in fp64, each rounded alike everywhere. No sum has a product that a compiler could fuse with it, but an exact one.
#pragma once

#include "device/kernels/host_and_device.h"
#include "device/ops/training.h"

namespace aaco {

// By squaring: libraries differ in the last bit of pow. Exponents from 0.
AACO_HOST_AND_DEVICE inline double power_of(double base, int32_t exponent) {
  double power = 1;
  for (; exponent > 0; exponent /= 2) {
    power = exponent % 2 != 0 ? power * base : power;
    base *= base;
  }
  return power;
}

// Steps from 1.
AACO_HOST_AND_DEVICE inline TrainingClock clock_at(const TickArgs& args, int32_t step) {
  TrainingClock clock;
  clock.step = step;
  clock.batch = (step - 1) % args.batches;
  const bool warm = step >= args.warmup_steps;
  const double share = warm ? 1 : static_cast<double>(step) / static_cast<double>(args.warmup_steps);
  clock.rate = static_cast<float>(static_cast<double>(args.rate) * share);
  clock.decay =  // the product of two fp32 is exact
      static_cast<float>(1 - static_cast<double>(clock.rate) * static_cast<double>(args.weight_decay));
  clock.inverse_correction1 = static_cast<float>(1 / (1 - power_of(static_cast<double>(args.beta1), step)));
  clock.inverse_correction2 = static_cast<float>(1 / (1 - power_of(static_cast<double>(args.beta2), step)));
  return clock;
}

}  // namespace aaco
