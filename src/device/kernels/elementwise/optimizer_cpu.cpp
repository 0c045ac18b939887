// SPDX-License-Identifier: MIT
// The reference: fp64 within a step, rounded where the states are stored.
#include <cmath>

#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

void run_on_cpu(const SgdArgs& args) {
  for (int64_t i = 0; i < args.n; ++i) {
    args.param[i] = static_cast<float>(args.param[i] - static_cast<double>(args.rate) * args.grad[i]);
  }
  if (args.low != nullptr) {
    write_floats(args.low, args.low_dtype, 0, args.n, args.param);
  }
}

namespace {

struct StepOfAdam {
  double rate = 0;
  double decay = 1;
  double correction1 = 1;
  double correction2 = 1;
};

StepOfAdam step_of(const AdamArgs& args) {
  if (args.clock != nullptr) {
    const TrainingClock& clock = *args.clock;
    return {clock.rate, clock.decay, 1 / static_cast<double>(clock.inverse_correction1),
            1 / static_cast<double>(clock.inverse_correction2)};
  }
  const double rate = args.rate;
  return {rate, 1 - rate * args.weight_decay, 1 - std::pow(static_cast<double>(args.beta1), args.step),
          1 - std::pow(static_cast<double>(args.beta2), args.step)};
}

}  // namespace

void run_on_cpu(const AdamArgs& args) {
  const std::vector<float> low_grad =
      read_floats(args.low_grad, args.low_dtype, 0, args.low_grad == nullptr ? 0 : args.low_end - args.low_from);
  const auto low_count = static_cast<int64_t>(low_grad.size());
  const auto gradient = [&](int64_t i) {
    const bool is_low = i >= args.low_from && i < args.low_from + low_count;
    return is_low ? low_grad[static_cast<size_t>(i - args.low_from)] : args.grad[i < args.low_from ? i : i - low_count];
  };
  const double beta1 = args.beta1;
  const double beta2 = args.beta2;
  const auto [rate, decay, correction1, correction2] = step_of(args);
  const double scale = args.grad_scale != nullptr ? *args.grad_scale : 1;
  for (int64_t i = 0; i < args.n; ++i) {
    const double grad = scale * gradient(i);
    const double first = beta1 * args.first[i] + (1 - beta1) * grad;
    const double second = beta2 * args.second[i] + (1 - beta2) * grad * grad;
    const double step = (first / correction1) / (std::sqrt(second / correction2) + args.eps);
    args.param[i] = static_cast<float>(decay * args.param[i] - rate * step);
    args.first[i] = static_cast<float>(first);
    args.second[i] = static_cast<float>(second);
  }
  if (args.low != nullptr) {
    write_floats(args.low, args.low_dtype, 0, args.n, args.param);
  }
}

}  // namespace aaco
