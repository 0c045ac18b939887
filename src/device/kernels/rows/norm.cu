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

// values += added, rounded to the type, which goes to `sum`.
template <int kPack, class T>
AACO_DEVICE void store_sum(const NormArgs& args, int64_t row, int64_t column, const RawPack<T, kPack>& added,
                           float* values) {
  Pack<T, kPack> sums;
  AACO_UNROLL
  for (int j = 0; j < kPack; ++j) {
    store(sums.values, j, values[j] + added.value(j));
    values[j] = load(sums.values, j);
  }
  *reinterpret_cast<Pack<T, kPack>*>(static_cast<T*>(args.sum) + row * args.cols + column) = sums;
}

template <int kPack>
AACO_DEVICE void add_up(const float* values, float& sum) {
  AACO_UNROLL
  for (int j = 0; j < kPack; ++j) {
    sum += values[j];
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

// The variance from the differences to the mean: the difference of two sums would lose it where the mean is large. All
// packs of a thread are on their way before the first is used.
template <class T, int kPack, bool kWide, bool kAdds>
AACO_KERNEL AACO_WITHIN(kRowThreads<kWide>) void norm_held(NormArgs args) {
  wait_for_previous();
  AACO_SHARED float scratch[32];
  const float inverse_cols = 1 / static_cast<float>(args.cols);
  for_rows<kWide>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    RawPack<T, kPack> in[kSlots<kWide> / kPack];
    [[maybe_unused]] RawPack<T, kPack> added[kAdds ? kSlots<kWide> / kPack : 1];
    for_slots<kPack, kWide>(cols, [&](int slot, int column) {
      in[slot / kPack].fetch(static_cast<const T*>(args.in), row * args.cols + column);
      if constexpr (kAdds) {
        added[slot / kPack].fetch(static_cast<const T*>(args.add), row * args.cols + column);
      }
    });
    float values[kSlots<kWide>];
    Statistics statistics;
    float sum = 0;
    for_slots<kPack, kWide>(cols, [&](int slot, [[maybe_unused]] int column) {
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        values[slot + j] = in[slot / kPack].value(j);
      }
      if constexpr (kAdds) {
        store_sum<kPack, T>(args, row, column, added[slot / kPack], values + slot);
      }
      add_up<kPack>(values + slot, sum);
    });
    if (args.kind == NormKind::kLayer) {
      statistics.mean = joined<Sum, kWide>(sum, scratch) * inverse_cols;
    }
    float squares = 0;
    for_slots<kPack, kWide>(cols, [&](int slot, int /*column*/) {
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the same slots were loaded
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

template <class T, int kPack, bool kAdds>
AACO_KERNEL void norm_looped(NormArgs args) {
  wait_for_previous();
  AACO_SHARED float scratch[32];
  const float inverse_cols = 1 / static_cast<float>(args.cols);
  for_rows<true>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    const T* in = static_cast<const T*>(kAdds ? args.sum : args.in) + row * args.cols;
    Statistics statistics;
    float values[kPack];
    if (kAdds || args.kind == NormKind::kLayer) {
      float sum = 0;
      for_columns<kPack, true>(cols, [&](int64_t column) {
        load_pack<kPack>(static_cast<const T*>(args.in) + row * args.cols, column, values);
        if constexpr (kAdds) {
          RawPack<T, kPack> added;
          added.fetch(static_cast<const T*>(args.add), row * args.cols + column);
          store_sum<kPack, T>(args, row, column, added, values);
        }
        add_up<kPack>(values, sum);
      });
      if (args.kind == NormKind::kLayer) {
        statistics.mean = joined<Sum, true>(sum, scratch) * inverse_cols;
      }
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

template <class T, int kPack, bool kAdds>
void launch_norm(StreamContext& stream, const NormArgs& args) {
  const RowLaunch narrow = narrow_launch(args.rows);
  const RowLaunch wide = wide_launch(args.rows, args.cols);
  if (args.cols <= kNarrowColumns) {
    return launch_behind<norm_held<T, kPack, false, kAdds>>(stream, narrow.grid, narrow.block, 0, args);
  }
  if constexpr (kPack > 1) {
    if (args.cols <= kHeldColumns) {
      return launch_behind<norm_held<T, kPack, true, kAdds>>(stream, wide.grid, wide.block, 0, args);
    }
  }
  launch_behind<norm_looped<T, kPack, kAdds>>(stream, wide.grid, wide.block, 0, args);
}

template <class T, bool kAdds>
void launch_norm(StreamContext& stream, const NormArgs& args) {
  constexpr int kPack = packed_count<T>();
  if (args.cols % kPack == 0 && are_aligned(args.in, args.weight, args.bias, args.out, args.add, args.sum)) {
    launch_norm<T, kPack, kAdds>(stream, args);
  } else {
    launch_norm<T, 1, kAdds>(stream, args);
  }
}

}  // namespace

void run_on_gpu(StreamContext& stream, const NormArgs& args) {
  if (args.rows == 0 || args.cols == 0) {
    return;
  }
  with_float_type(args.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    if (args.add != nullptr) {
      launch_norm<T, true>(stream, args);
    } else {
      launch_norm<T, false>(stream, args);
    }
  });
}

}  // namespace aaco::gpu
