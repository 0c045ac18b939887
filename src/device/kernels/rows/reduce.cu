// SPDX-License-Identifier: MIT
// What is summed may be split over blocks, so that few results still fill the device; they add up by atomics then, in
// no fixed order (reduce_splits).
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/rows/column_tile.h"
#include "device/ops/reduce_plan.h"

namespace aaco::gpu {

namespace {

struct ReduceKernelArgs {
  ReduceArgs op;
  int64_t splits = 1;
  float factor = 1;  // of the sum: 1 / terms for a mean
};

template <class Out>
AACO_DEVICE void store_result(const ReduceKernelArgs& args, int64_t i, float value) {
  Out* out = static_cast<Out*>(args.op.out);
  value *= args.factor;
  if (args.splits > 1) {
    atomic_add(static_cast<float*>(args.op.out) + i, value);
  } else {
    store(out, i, args.op.accumulate != 0 ? load(out, i) + value : value);
  }
}

template <class Join, class In, class Out, int kPack, bool kWide>
AACO_KERNEL void reduce_rows(ReduceKernelArgs args) {
  AACO_SHARED float scratch[32];
  const int64_t packs = args.op.cols / kPack;
  const int64_t start = packs * block_y() / args.splits * kPack;
  const int64_t end = packs * (block_y() + int64_t{1}) / args.splits * kPack;
  for_rows<kWide>(args.op.rows, end - start, [&](int64_t row, int64_t cols) {
    const In* in = static_cast<const In*>(args.op.in) + row * args.op.cols + start;
    float total = Join::kStart;
    for_columns<kPack, kWide>(cols, [&](int64_t column) {
      float values[kPack];
      load_pack<kPack>(in, column, values);
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        total = Join::join(total, values[j]);
      }
    });
    total = joined<Join, kWide>(total, scratch);
    if (row < args.op.rows && rank_in_group<kWide>() == 0) {
      store_result<Out>(args, row, total);
    }
  });
}

template <class Join, class In, class Out, int kPack>
AACO_KERNEL void reduce_columns(ReduceKernelArgs args) {
  AACO_SHARED float scratch[kTileScratch<kPack>];
  const TileRange range = tile_range<kPack>(args.op.rows, args.splits);
  float totals[kPack];
  for (int j = 0; j < kPack; ++j) {
    totals[j] = Join::kStart;
  }
  if (range.column < args.op.cols) {
    const In* in = static_cast<const In*>(args.op.in) + range.column;
    for (int64_t row = range.row; row < range.end; row += kTileRows) {
      float values[kPack];
      load_pack<kPack>(in, row * args.op.cols, values);
      AACO_UNROLL
      for (int j = 0; j < kPack; ++j) {
        totals[j] = Join::join(totals[j], values[j]);
      }
    }
  }
  join_tile<Join, kPack>(totals, args.op.cols, scratch,
                         [&](int64_t column, float value) { store_result<Out>(args, column, value); });
}

template <class Join, class In, class Out, int kPack>
void launch_reduce(StreamContext& stream, const ReduceKernelArgs& args) {
  const ReduceArgs& op = args.op;
  const auto splits = static_cast<uint32_t>(args.splits);
  if (op.axis == ReduceAxis::kAlongColumn) {
    launch<reduce_columns<Join, In, Out, kPack>>(stream, tile_grid(op.cols, kPack, args.splits), kElementBlock, 0,
                                                 args);
  } else if (op.cols <= kNarrowColumns) {
    launch<reduce_rows<Join, In, Out, kPack, false>>(stream, narrow_launch(op.rows).grid, kElementBlock, 0, args);
  } else {
    const RowLaunch wide = wide_launch(op.rows, op.cols);
    launch<reduce_rows<Join, In, Out, kPack, true>>(stream, {wide.grid.x, splits, 1}, wide.block, 0, args);
  }
}

template <class Join>
void launch_by_type(StreamContext& stream, const ReduceKernelArgs& args) {
  with_float_type(args.op.in_dtype, [&](auto* in) {
    with_float_type(args.op.out_dtype, [&](auto* out) {
      using In = std::remove_pointer_t<decltype(in)>;
      using Out = std::remove_pointer_t<decltype(out)>;
      constexpr int kPack = packed_count<In>();
      if (args.op.cols % kPack == 0 && are_aligned(args.op.in)) {
        launch_reduce<Join, In, Out, kPack>(stream, args);
      } else {
        launch_reduce<Join, In, Out, 1>(stream, args);
      }
    });
  });
}

// With one of both 0 the kernels would be given no work, yet results of nothing must be stored.
void store_empty(StreamContext& stream, const ReduceArgs& args, int64_t results) {
  const bool adds = args.accumulate != 0 && args.op == ReduceOp::kSum;
  if (results == 0 || adds) {
    return;
  }
  const double value = args.op == ReduceOp::kMax    ? -__builtin_huge_val()
                       : args.op == ReduceOp::kMean ? __builtin_nan("")
                                                    : 0;
  run_on_gpu(stream, FillArgs{.out = args.out, .n = results, .value = value, .dtype = args.out_dtype});
}

}  // namespace

void run_on_gpu(StreamContext& stream, const ReduceArgs& args) {
  const bool along_row = args.axis == ReduceAxis::kAlongRow;
  const int64_t results = along_row ? args.rows : args.cols;
  const int64_t terms = along_row ? args.cols : args.rows;
  if (results == 0 || terms == 0) {
    return store_empty(stream, args, results);
  }
  ReduceKernelArgs kernel_args{args, reduce_splits(args), 1};
  kernel_args.op.accumulate = args.accumulate != 0 && args.op == ReduceOp::kSum ? 1 : 0;
  if (args.op == ReduceOp::kMean) {
    kernel_args.factor = static_cast<float>(1 / static_cast<double>(terms));
  }
  if (kernel_args.splits > 1 && kernel_args.op.accumulate == 0) {
    run_on_gpu(stream, FillArgs{.out = args.out, .n = results});
  }
  if (args.op == ReduceOp::kMax) {
    launch_by_type<Largest>(stream, kernel_args);
  } else {
    launch_by_type<Sum>(stream, kernel_args);
  }
}

}  // namespace aaco::gpu
