// SPDX-License-Identifier: MIT
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/row_group.h"

namespace aaco::gpu {

namespace {

struct Statistics {
  float mean = 0;
  float rstd = 0;
};

AACO_DEVICE void store_statistics(const NormArgs& args, int64_t row, const Statistics& statistics) {
  if (args.kind == NormKind::kLayer && args.mean != nullptr) {
    args.mean[row] = statistics.mean;
  }
  if (args.rstd != nullptr) {
    args.rstd[row] = statistics.rstd;
  }
}

// Normalises a pack and stores it.
template <int kPack, class T>
AACO_DEVICE void store_normalised(const NormArgs& args, int64_t row, int64_t column, const Statistics& statistics,
                                  float* values) {
  AACO_UNROLL
  for (int j = 0; j < kPack; ++j) {
    values[j] = (values[j] - statistics.mean) * statistics.rstd;
  }
  float affine[kPack];
  if (args.weight != nullptr) {
    load_pack<kPack>(static_cast<const T*>(args.weight), column, affine);
    AACO_UNROLL
    for (int j = 0; j < kPack; ++j) {
      values[j] *= affine[j];
    }
  }
  if (args.kind == NormKind::kLayer && args.bias != nullptr) {
    load_pack<kPack>(static_cast<const T*>(args.bias), column, affine);
    AACO_UNROLL
    for (int j = 0; j < kPack; ++j) {
      values[j] += affine[j];
    }
  }
  store_pack<kPack>(static_cast<T*>(args.out) + row * args.cols, column, values);
}

// The variance from the differences to the mean: the difference of two sums would lose it where the mean is large.
template <class T, int kPack, bool kWide>
AACO_KERNEL void norm_held(NormArgs args) {
  AACO_SHARED float scratch[32];
  const float inverse_cols = 1 / static_cast<float>(args.cols);
  for_rows<kWide>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    float values[kSlots<kWide>];
    Statistics statistics;
    float sum = 0;
    for_slots<kPack, kWide>(cols, [&](int slot, int column) {
      load_pack<kPack>(static_cast<const T*>(args.in) + row * args.cols, column, values + slot);
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        sum += values[slot + j];
      }
    });
    if (args.kind == NormKind::kLayer) {
      statistics.mean = joined<Sum, kWide>(sum, scratch) * inverse_cols;
    }
    float squares = 0;
    for_slots<kPack, kWide>(cols, [&](int slot, int /*column*/) {
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        const float difference = values[slot + j] - statistics.mean;
        squares += difference * difference;
      }
    });
    statistics.rstd = 1 / sqrtf(joined<Sum, kWide>(squares, scratch) * inverse_cols + args.eps);
    if (cols > 0 && rank_in_group<kWide>() == 0) {
      store_statistics(args, row, statistics);
    }
    for_slots<kPack, kWide>(
        cols, [&](int slot, int column) { store_normalised<kPack, T>(args, row, column, statistics, values + slot); });
  });
}

template <class T, int kPack>
AACO_KERNEL void norm_looped(NormArgs args) {
  AACO_SHARED float scratch[32];
  const float inverse_cols = 1 / static_cast<float>(args.cols);
  for_rows<true>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    const T* in = static_cast<const T*>(args.in) + row * args.cols;
    Statistics statistics;
    float values[kPack];
    if (args.kind == NormKind::kLayer) {
      float sum = 0;
      for_columns<kPack, true>(cols, [&](int64_t column) {
        load_pack<kPack>(in, column, values);
        AACO_UNROLL
        for (int j = 0; j < kPack; ++j) {
          sum += values[j];
        }
      });
      statistics.mean = joined<Sum, true>(sum, scratch) * inverse_cols;
    }
    float squares = 0;
    for_columns<kPack, true>(cols, [&](int64_t column) {
      load_pack<kPack>(in, column, values);
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        squares += (values[j] - statistics.mean) * (values[j] - statistics.mean);
      }
    });
    statistics.rstd = 1 / sqrtf(joined<Sum, true>(squares, scratch) * inverse_cols + args.eps);
    if (thread_x() == 0) {
      store_statistics(args, row, statistics);
    }
    for_columns<kPack, true>(cols, [&](int64_t column) {
      load_pack<kPack>(in, column, values);
      store_normalised<kPack, T>(args, row, column, statistics, values);
    });
  });
}

template <class T, int kPack>
void launch_norm(StreamContext& stream, const NormArgs& args) {
  const RowLaunch narrow = narrow_launch(args.rows);
  const RowLaunch wide = wide_launch(args.rows, args.cols);
  if (args.cols <= kNarrowColumns) {
    return launch<norm_held<T, kPack, false>>(stream, narrow.grid, narrow.block, 0, args);
  }
  if constexpr (kPack > 1) {
    if (args.cols <= kHeldColumns) {
      return launch<norm_held<T, kPack, true>>(stream, wide.grid, wide.block, 0, args);
    }
  }
  launch<norm_looped<T, kPack>>(stream, wide.grid, wide.block, 0, args);
}

}  // namespace

void run_on_gpu(StreamContext& stream, const NormArgs& args) {
  if (args.rows == 0 || args.cols == 0) {
    return;
  }
  with_float_type(args.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    constexpr int kPack = packed_count<T>();
    if (args.cols % kPack == 0 && are_aligned(args.in, args.weight, args.bias, args.out)) {
      launch_norm<T, kPack>(stream, args);
    } else {
      launch_norm<T, 1>(stream, args);
    }
  });
}

}  // namespace aaco::gpu
