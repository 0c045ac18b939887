// SPDX-License-Identifier: MIT
#include <cmath>

#include "device/gpu/run_on_gpu.h"
#include "device/kernels/packed_access.h"

namespace aaco::gpu {

namespace {

constexpr int kParameters = 4;  // fp32 in 16 bytes

template <int kCount, class Low>
AACO_DEVICE void store_low(void* low, int64_t i, const float* param) {
  if (low != nullptr) {
    store_pack<kCount>(static_cast<Low*>(low), i, param);
  }
}

template <class Low, int kPack>
AACO_KERNEL void sgd(SgdArgs args) {
  for_packs<kPack>(args.n, [&]<int kCount>(int64_t i) {
    float param[kCount];
    float grad[kCount];
    load_pack<kCount>(args.param, i, param);
    load_pack<kCount>(args.grad, i, grad);
    AACO_UNROLL
    for (int j = 0; j < kCount; ++j) {
      param[j] -= args.rate * grad[j];
    }
    store_pack<kCount>(args.param, i, param);
    store_low<kCount, Low>(args.low, i, param);
  });
}

struct AdamKernelArgs {
  AdamArgs op;
  TrainingClock clock;  // where op has none
};

// Gradients of `kCount` elements from `i` on, which lie in one of the two arrays.
template <class Low, int kCount>
AACO_DEVICE void load_gradients(const AdamArgs& op, int64_t i, float* grad) {
  if (i >= op.low_from && i < op.low_end) {
    load_pack<kCount>(static_cast<const Low*>(op.low_grad), i - op.low_from, grad);
  } else {
    load_pack<kCount>(op.grad, i < op.low_from ? i : i - (op.low_end - op.low_from), grad);
  }
}

// kClocked: by the clock in device memory, whose numbers take registers.
template <class Low, int kPack, bool kClocked>
AACO_KERNEL void adam(AdamKernelArgs args) {
  const AdamArgs& op = args.op;
  const TrainingClock clock = kClocked ? *op.clock : args.clock;
  const float scale = op.grad_scale != nullptr ? *op.grad_scale : 1;
  for_packs<kPack>(op.n, [&]<int kCount>(int64_t i) {
    float param[kCount];
    float grad[kCount];
    float first[kCount];
    float second[kCount];
    load_pack<kCount>(op.param, i, param);
    load_gradients<Low, kCount>(op, i, grad);
    load_pack<kCount>(op.first, i, first);
    load_pack<kCount>(op.second, i, second);
    AACO_UNROLL
    for (int j = 0; j < kCount; ++j) {
      grad[j] *= scale;
      first[j] = op.beta1 * first[j] + (1 - op.beta1) * grad[j];
      second[j] = op.beta2 * second[j] + (1 - op.beta2) * grad[j] * grad[j];
      const float root = sqrtf(second[j] * clock.inverse_correction2) + op.eps;
      param[j] = clock.decay * param[j] - clock.rate * (first[j] * clock.inverse_correction1) / root;
    }
    store_pack<kCount>(op.param, i, param);
    store_pack<kCount>(op.first, i, first);
    store_pack<kCount>(op.second, i, second);
    store_low<kCount, Low>(op.low, i, param);
  });
}

AdamKernelArgs kernel_args_of(const AdamArgs& args) {
  const double correction1 = 1 - std::pow(static_cast<double>(args.beta1), args.step);
  const double correction2 = 1 - std::pow(static_cast<double>(args.beta2), args.step);
  const double decay = 1 - static_cast<double>(args.rate) * args.weight_decay;
  return {.op = args,
          .clock = {.step = args.step,
                    .rate = args.rate,
                    .decay = static_cast<float>(decay),
                    .inverse_correction1 = static_cast<float>(1 / correction1),
                    .inverse_correction2 = static_cast<float>(1 / correction2)}};
}

template <class Low, int kPack>
void launch_adam(StreamContext& stream, const AdamArgs& args) {
  const Dim3 grid = grid_for((args.n + kPack - 1) / kPack);
  if (args.clock != nullptr) {
    launch<adam<Low, kPack, true>>(stream, grid, kElementBlock, 0, kernel_args_of(args));
  } else {
    launch<adam<Low, kPack, false>>(stream, grid, kElementBlock, 0, kernel_args_of(args));
  }
}

}  // namespace

void run_on_gpu(StreamContext& stream, const SgdArgs& args) {
  if (args.n == 0) {
    return;
  }
  with_float_type(args.low_dtype, [&](auto* type) {
    using Low = std::remove_pointer_t<decltype(type)>;
    if (are_aligned(args.param, args.grad, static_cast<const char*>(args.low))) {
      launch<sgd<Low, kParameters>>(stream, grid_for((args.n + kParameters - 1) / kParameters), kElementBlock, 0, args);
    } else {
      launch<sgd<Low, 1>>(stream, grid_for(args.n), kElementBlock, 0, args);
    }
  });
}

void run_on_gpu(StreamContext& stream, const AdamArgs& args) {
  if (args.n == 0) {
    return;
  }
  with_float_type(args.low_dtype, [&](auto* type) {
    using Low = std::remove_pointer_t<decltype(type)>;
    const bool in_packs = args.low_from % kParameters == 0 && args.low_end % kParameters == 0;
    if (in_packs && are_aligned(args.param, args.grad, args.first, args.second, static_cast<const char*>(args.low),
                                static_cast<const char*>(args.low_grad))) {
      launch_adam<Low, kParameters>(stream, args);
    } else {
      launch_adam<Low, 1>(stream, args);
    }
  });
}

}  // namespace aaco::gpu
