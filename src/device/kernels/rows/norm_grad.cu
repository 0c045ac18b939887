// SPDX-License-Identifier: MIT
// Two kernels: the gradient of the input goes along rows, those of weight and bias along columns. The second reads the
// rows again, mostly from the cache, and needs no reduction per row. Where the order of its sums is to be a fixed one,
// a third adds up what its blocks found.
#include "device/gpu/run_on_gpu.h"
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
    float* part = args.splits == 1 ? op.weight_grad : op.partial + block_y() * op.cols;
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

// weight_grad = sum of the rows of `partial`.
AACO_KERNEL void norm_join_parts(ParameterGradArgs args) {
  AACO_SHARED float scratch[kTileScratch<1>];
  const TileRange range = tile_range<1>(args.splits, 1);
  float sum = 0;
  AACO_UNROLL_BY_4
  for (int64_t row = range.row; row < range.end; row += kTileRows) {
    sum += range.column < args.op.cols ? args.op.partial[row * args.op.cols + range.column] : 0;
  }
  join_tile<Sum, 1>(&sum, args.op.cols, scratch,
                    [&](int64_t column, float value) { args.op.weight_grad[column] = value; });
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
  const bool in_order = args.partial != nullptr;
  const int64_t most = in_order ? kNormGradParts : kEnoughBlocks;
  const int64_t splits = std::min(column_splits(args.rows, args.cols), most);
  const ParameterGradArgs of_kernel{args, splits};
  launch<norm_parameter_grad<T, kPack>>(stream, tile_grid(args.cols, kPack, splits), kElementBlock, 0, of_kernel);
  if (in_order && splits > 1) {
    launch<norm_join_parts>(stream, tile_grid(args.cols, 1, 1), kElementBlock, 0, of_kernel);
  }
}

template <class T, int kPack>
void launch_norm_grad(StreamContext& stream, const NormGradArgs& args) {
  if (args.rows > 0 && args.add != nullptr) {
    launch_input_grad<T, kPack, true>(stream, args);
  } else if (args.rows > 0) {
    launch_input_grad<T, kPack, false>(stream, args);
  }
  if (args.weight_grad != nullptr || args.bias_grad != nullptr) {
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
    if (args.cols % kPack == 0 && are_aligned(args.in, args.weight, args.out_grad, args.in_grad, args.add)) {
      launch_norm_grad<T, kPack>(stream, args);
    } else {
      launch_norm_grad<T, 1>(stream, args);
    }
  });
}

}  // namespace aaco::gpu
