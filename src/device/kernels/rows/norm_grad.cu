// SPDX-License-Identifier: MIT
// Two kernels: the gradient of the input goes along rows, those of weight and bias along columns. The second reads the
// rows again, mostly from the cache, and needs no reduction per row. Where the order of its sums is to be a fixed one, its
// blocks leave parts; for rows that lanes of a wave can hold one kernel then does both.
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/launch_bounds.h"
#include "device/kernels/rows/column_tile.h"
#include "device/ops/reduce_plan.h"

namespace aaco::gpu {

namespace {

// The row's mean (0 for kRms) and 1 / deviation.
struct RowStatistics {
  float mean = 0;
  float rstd = 0;
};

AACO_DEVICE RowStatistics statistics_of(const NormGradArgs& args, int64_t row) {
  return {args.kind == NormKind::kLayer ? args.mean[row] : 0, args.rstd[row]};
}

// A pack of the normalised input and of out_grad * weight.
template <int kPack, class T>
AACO_DEVICE void load_row_pack(const NormGradArgs& args, const RowStatistics& statistics, int64_t row, int64_t column,
                               float* normalised, float* weighted) {
  load_pack<kPack>(static_cast<const T*>(args.in) + row * args.cols, column, normalised);
  load_pack<kPack>(static_cast<const T*>(args.out_grad) + row * args.cols, column, weighted);
  float weight[kPack];
  if (args.weight != nullptr) {
    load_pack<kPack>(static_cast<const T*>(args.weight), column, weight);
  }
  AACO_UNROLL
  for (int j = 0; j < kPack; ++j) {
    normalised[j] = (normalised[j] - statistics.mean) * statistics.rstd;
    weighted[j] *= args.weight != nullptr ? weight[j] : 1;
  }
}

struct RowMeans {
  float weighted = 0;  // 0 for kRms
  float product = 0;   // of weighted and normalised
};

template <bool kWide>
AACO_DEVICE RowMeans means_of(const NormGradArgs& args, float sum, float inner, float* scratch) {
  const float inverse_cols = 1 / static_cast<float>(args.cols);
  RowMeans means;
  if (args.kind == NormKind::kLayer) {
    means.weighted = joined<Sum, kWide>(sum, scratch) * inverse_cols;
  }
  means.product = joined<Sum, kWide>(inner, scratch) * inverse_cols;
  return means;
}

// `add`: a pack of a residual path's gradient.
template <int kPack, class T>
AACO_DEVICE void store_gradient(const NormGradArgs& args, const RowMeans& means, float rstd, int64_t row,
                                int64_t column, const float* normalised, float* weighted, const T* add) {
  AACO_UNROLL
  for (int j = 0; j < kPack; ++j) {
    weighted[j] = rstd * (weighted[j] - means.weighted - normalised[j] * means.product);
    if (add != nullptr) {
      weighted[j] += load(add, j);
    }
  }
  store_pack<kPack>(static_cast<T*>(args.in_grad) + row * args.cols, column, weighted);
}

// All packs of a thread are read before the first is written: they may be the same memory, so that else each would wait
// for the one before.
template <class T, int kPack, bool kWide, bool kAdds>
AACO_KERNEL AACO_WITHIN(kRowThreads<kWide>) void norm_grad_held(NormGradArgs args) {
  AACO_SHARED float scratch[32];
  for_rows<kWide>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    const RowStatistics statistics = cols > 0 ? statistics_of(args, row) : RowStatistics{};
    float normalised[kSlots<kWide>];
    float weighted[kSlots<kWide>];
    [[maybe_unused]] Pack<T, kPack> added[kAdds ? kSlots<kWide> / kPack : 1];
    float sum = 0;
    float inner = 0;
    for_slots<kPack, kWide>(cols, [&](int slot, int column) {
      load_row_pack<kPack, T>(args, statistics, row, column, normalised + slot, weighted + slot);
      if constexpr (kAdds) {
        added[slot / kPack] =
            *reinterpret_cast<const Pack<T, kPack>*>(static_cast<const T*>(args.add) + row * args.cols + column);
      }
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        sum += weighted[slot + j];
        inner += weighted[slot + j] * normalised[slot + j];
      }
    });
    const RowMeans means = means_of<kWide>(args, sum, inner, scratch);
    for_slots<kPack, kWide>(cols, [&](int slot, int column) {
      const T* add = kAdds ? added[slot / kPack].values : nullptr;
      store_gradient<kPack, T>(args, means, statistics.rstd, row, column, normalised + slot, weighted + slot, add);
    });
  });
}

template <class T, int kPack, bool kAdds>
AACO_KERNEL void norm_grad_looped(NormGradArgs args) {
  AACO_SHARED float scratch[32];
  for_rows<true>(args.rows, args.cols, [&](int64_t row, int64_t cols) {
    const RowStatistics statistics = statistics_of(args, row);
    float normalised[kPack];
    float weighted[kPack];
    float sum = 0;
    float inner = 0;
    for_columns<kPack, true>(cols, [&](int64_t column) {
      load_row_pack<kPack, T>(args, statistics, row, column, normalised, weighted);
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        sum += weighted[j];
        inner += weighted[j] * normalised[j];
      }
    });
    const RowMeans means = means_of<true>(args, sum, inner, scratch);
    for_columns<kPack, true>(cols, [&](int64_t column) {
      load_row_pack<kPack, T>(args, statistics, row, column, normalised, weighted);
      [[maybe_unused]] Pack<T, kPack> added;
      if constexpr (kAdds) {
        added = *reinterpret_cast<const Pack<T, kPack>*>(static_cast<const T*>(args.add) + row * args.cols + column);
      }
      const T* add = kAdds ? added.values : nullptr;
      store_gradient<kPack, T>(args, means, statistics.rstd, row, column, normalised, weighted, add);
    });
  });
}

// What a lane has of a narrow row, as it lies in memory.
template <class T, int kPack, bool kAdds>
struct HeldRow {
  static constexpr int kPacks = kNarrowSlots / kPack;
  RowStatistics statistics;
  RawPack<T, kPack> in[kPacks];
  RawPack<T, kPack> grad[kPacks];
  RawPack<T, kPack> added[kAdds ? kPacks : 1];

  AACO_DEVICE void fetch(const NormGradArgs& args, int64_t row, int64_t cols) {
    statistics = cols > 0 ? statistics_of(args, row) : RowStatistics{};
    for_slots<kPack, false>(cols, [&](int slot, int column) {
      const int64_t place = row * args.cols + column;
      in[slot / kPack].fetch(static_cast<const T*>(args.in), place);
      grad[slot / kPack].fetch(static_cast<const T*>(args.out_grad), place);
      if constexpr (kAdds) {
        added[slot / kPack].fetch(static_cast<const T*>(args.add), place);
      }
    });
  }

  AACO_DEVICE float normalised(int slot, int j) const {
    return (in[slot / kPack].value(j) - statistics.mean) * statistics.rstd;
  }
};

// A group's sums of columns joined over the block's groups, to the block's part.
template <int kPack>
AACO_DEVICE void store_part(const NormGradArgs& args, const float (&sums)[kNarrowSlots], float* scratch) {
  constexpr int kGroups = static_cast<int>(kElementBlock) / kNarrowLanes;
  constexpr int kColumns = kNarrowLanes * kPack;  // of a slot
  const int own = static_cast<int>(thread_x()) / kNarrowLanes * kColumns + rank_in_group<false>() * kPack;
  AACO_UNROLL
  for (int slot = 0; slot < kNarrowSlots; slot += kPack) {
    const int first = slot * kNarrowLanes;
    if (first >= args.cols) {
      break;
    }
    AACO_UNROLL
    for (int j = 0; j < kPack; ++j) {
      scratch[own + j] = sums[slot + j];
    }
    sync_block();
    for (int c = static_cast<int>(thread_x()); c < kColumns; c += static_cast<int>(kElementBlock)) {
      const int64_t column = first + c;
      float value = 0;
      AACO_UNROLL
      for (int g = 0; g < kGroups; ++g) {
        value += scratch[g * kColumns + c];
      }
      if (column < args.cols) {
        args.partial[block_x() * args.cols + column] = value;
      }
    }
    sync_block();
  }
}

// A block: the rows of one part, a group of lanes each. Its lanes have the same columns of every row, so that they add up
// the weights' gradient on their way. Of the narrow types registers have room for the next row, which comes meanwhile.
template <class T, int kPack, bool kAdds>
AACO_KERNEL AACO_BLOCKS(kElementBlock, 1) void norm_grad_in_parts(NormGradArgs args) {
  constexpr int kGroups = static_cast<int>(kElementBlock) / kNarrowLanes;
  constexpr bool kAhead = sizeof(T) == 2;
  AACO_SHARED float scratch[kGroups * kNarrowLanes * kPack];
  wait_for_previous();
  const int group = static_cast<int>(thread_x()) / kNarrowLanes;
  const int64_t end = args.rows * (block_x() + int64_t{1}) / grid_x();
  const auto cols_of = [&](int64_t row) { return row < end ? args.cols : 0; };
  RawPack<T, kPack> weights[kNarrowSlots / kPack];
  for_slots<kPack, false>(args.weight != nullptr ? args.cols : 0, [&](int slot, int column) {
    weights[slot / kPack].fetch(static_cast<const T*>(args.weight), column);
  });
  const auto weight_of = [&](int slot, int j) { return args.weight != nullptr ? weights[slot / kPack].value(j) : 1; };
  float sums[kNarrowSlots] = {};
  HeldRow<T, kPack, kAdds> own;
  [[maybe_unused]] HeldRow<T, kPack, kAdds> coming;
  int64_t row = args.rows * block_x() / grid_x() + group;
  own.fetch(args, row, cols_of(row));
  for (; row - group < end; row += kGroups) {
    const int64_t cols = cols_of(row);
    if constexpr (kAhead) {
      coming.fetch(args, row + kGroups, cols_of(row + kGroups));
    }
    float sum = 0;
    float inner = 0;
    for_slots<kPack, false>(cols, [&](int slot, int /*column*/) {
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        const float normalised = own.normalised(slot, j);
        const float grad = own.grad[slot / kPack].value(j);
        const float weighted = grad * weight_of(slot, j);
        sum += weighted;
        inner += weighted * normalised;
        sums[slot + j] += grad * normalised;
      }
    });
    const RowMeans means = means_of<false>(args, sum, inner, scratch);
    for_slots<kPack, false>(cols, [&](int slot, int column) {
      float gradient[kPack];
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        const float weighted = own.grad[slot / kPack].value(j) * weight_of(slot, j);
        gradient[j] = own.statistics.rstd * (weighted - means.weighted - own.normalised(slot, j) * means.product);
        if constexpr (kAdds) {
          gradient[j] += own.added[slot / kPack].value(j);
        }
      }
      store_pack<kPack>(static_cast<T*>(args.in_grad) + row * args.cols, column, gradient);
    });
    if constexpr (kAhead) {
      own = coming;
    } else {
      own.fetch(args, row + kGroups, cols_of(row + kGroups));
    }
  }
  store_part<kPack>(args, sums, scratch);
}

struct ParameterGradArgs {
  NormGradArgs op;
  int64_t splits = 1;
};

// weight_grad += sum of out_grad * normalised, bias_grad += sum of out_grad, over this block's rows.
template <class T, int kPack>
AACO_KERNEL void norm_parameter_grad(ParameterGradArgs args) {
  AACO_SHARED float scratch[kTileScratch<kPack>];
  const NormGradArgs& op = args.op;
  const TileRange range = tile_range<kPack>(op.rows, args.splits);
  float weight_sums[kPack] = {};
  float bias_sums[kPack] = {};
  for (int64_t row = range.row; range.column < op.cols && row < range.end; row += kTileRows) {
    const RowStatistics statistics = statistics_of(op, row);
    float values[kPack];
    float grad[kPack];
    load_pack<kPack>(static_cast<const T*>(op.in) + row * op.cols, range.column, values);
    load_pack<kPack>(static_cast<const T*>(op.out_grad) + row * op.cols, range.column, grad);
    AACO_UNROLL
    for (int j = 0; j < kPack; ++j) {
      weight_sums[j] += grad[j] * ((values[j] - statistics.mean) * statistics.rstd);
      bias_sums[j] += grad[j];
    }
  }
  if (op.partial != nullptr) {
    float* part = op.partial + block_y() * op.cols;
    return join_tile<Sum, kPack>(weight_sums, op.cols, scratch,
                                 [&](int64_t column, float value) { part[column] = value; });
  }
  if (op.weight_grad != nullptr) {
    join_tile<Sum, kPack>(weight_sums, op.cols, scratch,
                          [&](int64_t column, float value) { atomic_add(op.weight_grad + column, value); });
  }
  if (op.bias_grad != nullptr) {
    join_tile<Sum, kPack>(bias_sums, op.cols, scratch,
                          [&](int64_t column, float value) { atomic_add(op.bias_grad + column, value); });
  }
}

template <class T, int kPack, bool kAdds>
void launch_input_grad(StreamContext& stream, const NormGradArgs& args) {
  const RowLaunch narrow = narrow_launch(args.rows);
  const RowLaunch wide = wide_launch(args.rows, args.cols);
  if (args.cols <= kNarrowColumns) {
    return launch<norm_grad_held<T, kPack, false, kAdds>>(stream, narrow.grid, narrow.block, 0, args);
  }
  if constexpr (kPack > 1) {
    if (args.cols <= kHeldColumns) {
      return launch<norm_grad_held<T, kPack, true, kAdds>>(stream, wide.grid, wide.block, 0, args);
    }
  }
  launch<norm_grad_looped<T, kPack, kAdds>>(stream, wide.grid, wide.block, 0, args);
}

template <class T, int kPack>
void launch_parameter_grad(StreamContext& stream, const NormGradArgs& args) {
  const int64_t splits =
      args.partial != nullptr ? norm_grad_parts(args.rows) : std::min(column_splits(args.rows, args.cols), kEnoughBlocks);
  launch<norm_parameter_grad<T, kPack>>(stream, tile_grid(args.cols, kPack, splits), kElementBlock, 0,
                                        ParameterGradArgs{args, splits});
}

template <class T, int kPack, bool kAdds>
void launch_norm_grad(StreamContext& stream, const NormGradArgs& args) {
  if constexpr (kPack > 1) {
    if (args.partial != nullptr && args.cols <= kNarrowColumns) {
      const auto parts = static_cast<uint32_t>(norm_grad_parts(args.rows));
      return launch_behind<norm_grad_in_parts<T, kPack, kAdds>>(stream, {parts, 1, 1}, kElementBlock, 0, args);
    }
  }
  if (args.rows > 0) {
    launch_input_grad<T, kPack, kAdds>(stream, args);
  }
  if (args.weight_grad != nullptr || args.bias_grad != nullptr || args.partial != nullptr) {
    launch_parameter_grad<T, kPack>(stream, args);
  }
}

}  // namespace

void run_on_gpu(StreamContext& stream, const NormGradArgs& args) {
  if (args.cols == 0 || (args.rows == 0 && args.partial == nullptr)) {
    return;
  }
  with_float_type(args.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    constexpr int kPack = packed_count<T>();
    const bool packed =
        args.cols % kPack == 0 && are_aligned(args.in, args.weight, args.out_grad, args.in_grad, args.add);
    if (packed && args.add != nullptr) {
      launch_norm_grad<T, kPack, true>(stream, args);
    } else if (packed) {
      launch_norm_grad<T, kPack, false>(stream, args);
    } else if (args.add != nullptr) {
      launch_norm_grad<T, 1, true>(stream, args);
    } else {
      launch_norm_grad<T, 1, false>(stream, args);
    }
  });
  if (args.partial != nullptr && args.weight_grad != nullptr) {
    run_on_gpu(stream, SumPartsArgs{args.partial, args.weight_grad, 1, norm_grad_parts(args.rows), args.cols});
  }
}

}  // namespace aaco::gpu
