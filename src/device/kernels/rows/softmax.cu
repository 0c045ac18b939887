// SPDX-License-Identifier: MIT
// A row that fits is held in registers from the load to the store (softmax_held); a longer one is read anew in each
// pass (softmax_looped). Their gradients likewise.
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/rows/row_softmax.h"

namespace aaco::gpu {

namespace {

template <class T, int kPack, bool kWide>
AACO_KERNEL AACO_WITHIN(kRowThreads<kWide>) void softmax_held(SoftmaxArgs args) {
  AACO_SHARED float scratch[32];
  for_rows<kWide>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    float values[kSlots<kWide>];
    load_scaled<kPack, kWide>(static_cast<const T*>(args.in) + row * args.cols, cols, args.scale, values);
    const RowSums sums = exponentials<kWide>(values, scratch);
    const float inverse = 1 / sums.sum;
    T* out = static_cast<T*>(args.out) + row * args.cols;
    for_slots<kPack, kWide>(cols, [&](int slot, int column) {
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        values[slot + j] *= inverse;
      }
      store_pack<kPack>(out, column, values + slot);
    });
  });
}

template <class T, int kPack>
AACO_KERNEL void softmax_looped(SoftmaxArgs args) {
  AACO_SHARED float scratch[32];
  for_rows<true>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    const T* in = static_cast<const T*>(args.in) + row * args.cols;
    T* out = static_cast<T*>(args.out) + row * args.cols;
    const RowSums sums = online_sums<kPack>(in, cols, args.scale, scratch);
    const float inverse = 1 / sums.sum;
    for_columns<kPack, true>(cols, [&](int64_t column) {
      float values[kPack];
      load_pack<kPack>(in, column, values);
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        values[j] = expf(values[j] * args.scale - sums.most) * inverse;
      }
      store_pack<kPack>(out, column, values);
    });
  });
}

template <class T, int kPack, bool kWide>
AACO_KERNEL AACO_WITHIN(kRowThreads<kWide>) void softmax_grad_held(SoftmaxGradArgs args) {
  AACO_SHARED float scratch[32];
  for_rows<kWide>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    const int64_t start = row * args.cols;
    float out[kSlots<kWide>];
    float grad[kSlots<kWide>];
    float inner = 0;
    for_slots<kPack, kWide>(cols, [&](int slot, int column) {
      load_pack<kPack>(static_cast<const T*>(args.out) + start, column, out + slot);
      load_pack<kPack>(static_cast<const T*>(args.out_grad) + start, column, grad + slot);
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        inner += out[slot + j] * grad[slot + j];
      }
    });
    inner = joined<Sum, kWide>(inner, scratch);
    for_slots<kPack, kWide>(cols, [&](int slot, int column) {
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): both loops have the same slots
        grad[slot + j] = args.scale * out[slot + j] * (grad[slot + j] - inner);
      }
      store_pack<kPack>(static_cast<T*>(args.in_grad) + start, column, grad + slot);
    });
  });
}

template <class T, int kPack>
AACO_KERNEL void softmax_grad_looped(SoftmaxGradArgs args) {
  AACO_SHARED float scratch[32];
  for_rows<true>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    const T* out = static_cast<const T*>(args.out) + row * args.cols;
    const T* out_grad = static_cast<const T*>(args.out_grad) + row * args.cols;
    T* in_grad = static_cast<T*>(args.in_grad) + row * args.cols;
    float y[kPack];
    float grad[kPack];
    float inner = 0;
    for_columns<kPack, true>(cols, [&](int64_t column) {
      load_pack<kPack>(out, column, y);
      load_pack<kPack>(out_grad, column, grad);
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        inner += y[j] * grad[j];
      }
    });
    inner = joined<Sum, true>(inner, scratch);
    for_columns<kPack, true>(cols, [&](int64_t column) {
      load_pack<kPack>(out, column, y);
      load_pack<kPack>(out_grad, column, grad);
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        grad[j] = args.scale * y[j] * (grad[j] - inner);
      }
      store_pack<kPack>(in_grad, column, grad);
    });
  });
}

template <class T, int kPack>
void launch_softmax(StreamContext& stream, const SoftmaxArgs& args) {
  const RowLaunch narrow = narrow_launch(args.rows);
  const RowLaunch wide = wide_launch(args.rows, args.cols);
  if (args.cols <= kNarrowColumns) {
    return launch<softmax_held<T, kPack, false>>(stream, narrow.grid, narrow.block, 0, args);
  }
  if constexpr (kPack > 1) {
    if (args.cols <= kHeldColumns) {
      return launch<softmax_held<T, kPack, true>>(stream, wide.grid, wide.block, 0, args);
    }
  }
  launch<softmax_looped<T, kPack>>(stream, wide.grid, wide.block, 0, args);
}

template <class T, int kPack>
void launch_softmax_grad(StreamContext& stream, const SoftmaxGradArgs& args) {
  const RowLaunch narrow = narrow_launch(args.rows);
  const RowLaunch wide = wide_launch(args.rows, args.cols);
  if (args.cols <= kNarrowColumns) {
    return launch<softmax_grad_held<T, kPack, false>>(stream, narrow.grid, narrow.block, 0, args);
  }
  if constexpr (kPack > 1) {
    if (args.cols <= kHeldColumns) {
      return launch<softmax_grad_held<T, kPack, true>>(stream, wide.grid, wide.block, 0, args);
    }
  }
  launch<softmax_grad_looped<T, kPack>>(stream, wide.grid, wide.block, 0, args);
}

}  // namespace

void run_on_gpu(StreamContext& stream, const SoftmaxArgs& args) {
  if (args.rows == 0 || args.cols == 0) {
    return;
  }
  with_float_type(args.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    constexpr int kPack = packed_count<T>();
    if (args.cols % kPack == 0 && are_aligned(args.in, args.out)) {
      launch_softmax<T, kPack>(stream, args);
    } else {
      launch_softmax<T, 1>(stream, args);
    }
  });
}

void run_on_gpu(StreamContext& stream, const SoftmaxGradArgs& args) {
  if (args.rows == 0 || args.cols == 0) {
    return;
  }
  with_float_type(args.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    constexpr int kPack = packed_count<T>();
    if (args.cols % kPack == 0 && are_aligned(args.out, args.out_grad, args.in_grad)) {
      launch_softmax_grad<T, kPack>(stream, args);
    } else {
      launch_softmax_grad<T, 1>(stream, args);
    }
  });
}

}  // namespace aaco::gpu
