// SPDX-License-Identifier: MIT
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/rows/row_softmax.h"

namespace aaco::gpu {

namespace {

constexpr float kNan = __builtin_nanf("");

// Where a row's target is, and what one thread knows of it.
struct Target {
  int64_t column = -1;  // -1: out of range
  bool met = false;     // by this thread, which then stores the loss
  float logit = kNan;

  AACO_DEVICE void look_for(int64_t at, float value) {
    if (at == column) {
      met = true;
      logit = value;
    }
  }
};

AACO_DEVICE Target target_of(const CrossEntropyArgs& args, int64_t row, int64_t cols) {
  Target target;
  const int64_t column = cols > 0 ? args.targets[row] : -1;
  target.column = column >= 0 && column < cols ? column : -1;
  return target;
}

AACO_DEVICE void store_loss(const CrossEntropyArgs& args, int64_t row, const Target& target, const RowSums& sums,
                            bool first_of_row) {
  if (target.met || (target.column < 0 && first_of_row)) {
    args.loss[row] = logf(sums.sum) - (target.logit - sums.most);
  }
}

// From exponentials to gradients. No target: NaN.
template <int kPack>
AACO_DEVICE void to_gradient(const CrossEntropyArgs& args, const Target& target, float inverse, int64_t column,
                             float* values) {
  AACO_UNROLL
  for (int j = 0; j < kPack; ++j) {
    values[j] = args.scale * (values[j] * inverse - (column + j == target.column ? 1.0F : 0.0F));
  }
}

template <class T, int kPack, bool kWide>
AACO_KERNEL AACO_WITHIN(kRowThreads<kWide>) void cross_entropy_held(CrossEntropyArgs args) {
  AACO_SHARED float scratch[32];
  for_rows<kWide>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    Target target = target_of(args, row, cols);
    float values[kSlots<kWide>];
    load_scaled<kPack, kWide>(static_cast<const T*>(args.logits) + row * args.cols, cols, 1, values);
    for_slots<kPack, kWide>(cols, [&](int slot, int column) {
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        target.look_for(column + j, values[slot + j]);
      }
    });
    const RowSums sums = exponentials<kWide>(values, scratch);
    store_loss(args, row, target, sums, cols > 0 && rank_in_group<kWide>() == 0);
    if (args.grad == nullptr) {
      return;
    }
    const float inverse = target.column < 0 ? kNan : 1 / sums.sum;
    T* grad = static_cast<T*>(args.grad) + row * args.cols;
    for_slots<kPack, kWide>(cols, [&](int slot, int column) {
      to_gradient<kPack>(args, target, inverse, column, values + slot);
      store_pack<kPack>(grad, column, values + slot);
    });
  });
}

template <class T, int kPack>
AACO_KERNEL void cross_entropy_looped(CrossEntropyArgs args) {
  AACO_SHARED float scratch[32];
  for_rows<true>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    const T* logits = static_cast<const T*>(args.logits) + row * args.cols;
    Target target = target_of(args, row, cols);
    if (target.column >= 0 && target.column / kPack % block_size() == thread_x()) {
      target.look_for(target.column, load(logits, target.column));  // before its thread overwrites it
    }
    const RowSums sums = online_sums<kPack>(logits, cols, 1, scratch);
    store_loss(args, row, target, sums, thread_x() == 0);
    if (args.grad == nullptr) {
      return;
    }
    const float inverse = target.column < 0 ? kNan : 1 / sums.sum;
    T* grad = static_cast<T*>(args.grad) + row * args.cols;
    for_columns<kPack, true>(cols, [&](int64_t column) {
      float values[kPack];
      load_pack<kPack>(logits, column, values);
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        values[j] = expf(values[j] - sums.most);
      }
      to_gradient<kPack>(args, target, inverse, column, values);
      store_pack<kPack>(grad, column, values);
    });
  });
}

template <class T, int kPack>
void launch_cross_entropy(StreamContext& stream, const CrossEntropyArgs& args) {
  const RowLaunch narrow = narrow_launch(args.rows);
  const RowLaunch wide = wide_launch(args.rows, args.cols);
  if (args.cols <= kNarrowColumns) {
    return launch<cross_entropy_held<T, kPack, false>>(stream, narrow.grid, narrow.block, 0, args);
  }
  if constexpr (kPack > 1) {
    if (args.cols <= kHeldColumns) {
      return launch<cross_entropy_held<T, kPack, true>>(stream, wide.grid, wide.block, 0, args);
    }
  }
  launch<cross_entropy_looped<T, kPack>>(stream, wide.grid, wide.block, 0, args);
}

}  // namespace

void run_on_gpu(StreamContext& stream, const CrossEntropyArgs& args) {
  if (args.rows == 0) {
    return;
  }
  if (args.cols == 0) {  // no target is in range
    return run_on_gpu(stream, FillArgs{.out = args.loss, .n = args.rows, .value = static_cast<double>(kNan)});
  }
  with_float_type(args.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    constexpr int kPack = packed_count<T>();
    if (args.cols % kPack == 0 && are_aligned(args.logits, args.grad)) {
      launch_cross_entropy<T, kPack>(stream, args);
    } else {
      launch_cross_entropy<T, 1>(stream, args);
    }
  });
}

}  // namespace aaco::gpu
