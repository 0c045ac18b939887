// SPDX-License-Identifier: MIT
// Gather, scatter-add, combine and accept.
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/row_teams.h"

namespace aaco::gpu {

template <class Args>
struct RowTeamArgs {
  Args op;
  int64_t items = 0;  // per row
  uint32_t team = 1;
};

AACO_DEVICE bool within(int64_t index, int64_t count) { return index >= 0 && index < count; }

// Rows as words of any size: their type does not matter.
template <class Word>
AACO_KERNEL void gather_kernel(RowTeamArgs<GatherArgs> args) {
  const Word* table = static_cast<const Word*>(args.op.table);
  Word* out = static_cast<Word*>(args.op.out);
  for_row_items(args.team, args.op.count, args.items, [&](int64_t row, int64_t item) {
    const int64_t id = args.op.ids[row];
    Word* to = out + row * args.items + item;
    if (within(id, args.op.table_rows)) {  // not a choice of a word: of a pack clang would keep that in LDS
      *to = table[id * args.items + item];
    } else {
      *to = Word{};
    }
  });
}

template <class T, int kPack>
AACO_KERNEL void gather_mean_kernel(RowTeamArgs<GatherMeanArgs> args) {
  const GatherMeanArgs& op = args.op;
  const T* table = static_cast<const T*>(op.table);
  const float share = 1 / static_cast<float>(op.pool);
  for_row_items(args.team, op.count, args.items, [&](int64_t row, int64_t item) {
    float sums[kPack] = {};
    AACO_UNROLL_BY_4
    for (int64_t j = row * op.pool; j < (row + 1) * op.pool; ++j) {
      const int64_t id = op.ids[j];
      if (within(id, op.table_rows)) {
        float values[kPack];
        load_pack<kPack>(table, id * op.cols + item * kPack, values);
        AACO_UNROLL
        for (int k = 0; k < kPack; ++k) {
          sums[k] += values[k];
        }
      }
    }
    AACO_UNROLL
    for (int k = 0; k < kPack; ++k) {
      sums[k] *= share;
    }
    store_pack<kPack>(static_cast<T*>(op.out), row * op.cols + item * kPack, sums);
  });
}

template <class T>
AACO_KERNEL void scatter_add_kernel(RowTeamArgs<ScatterAddArgs> args) {
  const T* in = static_cast<const T*>(args.op.in);
  for_row_items(args.team, args.op.count, args.items, [&](int64_t row, int64_t item) {
    const int64_t id = args.op.ids[row];
    if (within(id, args.op.out_rows)) {
      atomic_add(args.op.out + id * args.items + item, load(in, row * args.items + item));
    }
  });
}

template <class T, int kPack>
AACO_KERNEL void combine_kernel(RowTeamArgs<CombineArgs> args) {
  const T* in = static_cast<const T*>(args.op.in);
  const T* weights = static_cast<const T*>(args.op.weights);
  T* out = static_cast<T*>(args.op.out);
  for_row_items(args.team, args.op.tokens, args.items, [&](int64_t token, int64_t item) {
    float sums[kPack] = {};
    for (int64_t pair = token * args.op.choices; pair < (token + 1) * args.op.choices; ++pair) {
      const int64_t place = args.op.place_of[pair];
      if (within(place, args.op.places)) {
        const float weight = load(weights, pair);
        float values[kPack];
        load_pack<kPack>(in, place * args.op.cols + item * kPack, values);
        AACO_UNROLL
        for (int j = 0; j < kPack; ++j) {
          sums[j] += weight * values[j];
        }
      }
    }
    store_pack<kPack>(out, token * args.op.cols + item * kPack, sums);
  });
}

AACO_KERNEL void accept_kernel(AcceptArgs args) {
  const int64_t row = static_cast<int64_t>(block_x()) * block_size() + thread_x();
  if (row >= args.batch) {
    return;
  }
  const int32_t* draft = args.draft + row * args.length;
  const int32_t* chosen = args.chosen + row * (args.length + 1);
  int32_t same = 0;
  while (same < args.length && draft[same] == chosen[same]) {
    ++same;
  }
  args.accepted[row] = same;
  args.next[row] = chosen[same];
  if (args.total != nullptr) {
    atomic_add(args.total, same + 1);
  }
}

namespace {

template <auto kKernel, class Args>
void launch_rows(StreamContext& stream, const Args& args, int64_t rows, int64_t items) {
  const RowTeams teams = row_teams(rows, items);
  launch<kKernel>(stream, teams.grid, kElementBlock, 0, RowTeamArgs<Args>{args, items, teams.team});
}

}  // namespace

void run_on_gpu(StreamContext& stream, const GatherArgs& args) {
  if (args.count == 0 || args.cols == 0) {
    return;
  }
  const int64_t row_bytes = args.cols * size_of(args.dtype);
  const auto addresses = reinterpret_cast<uintptr_t>(args.table) | reinterpret_cast<uintptr_t>(args.out) |
                         static_cast<uintptr_t>(row_bytes);
  if (addresses % 16 == 0) {
    launch_rows<gather_kernel<Pack<uint32_t, 4>>>(stream, args, args.count, row_bytes / 16);
  } else if (addresses % 4 == 0) {
    launch_rows<gather_kernel<uint32_t>>(stream, args, args.count, row_bytes / 4);
  } else if (addresses % 2 == 0) {
    launch_rows<gather_kernel<uint16_t>>(stream, args, args.count, row_bytes / 2);
  } else {
    launch_rows<gather_kernel<uint8_t>>(stream, args, args.count, row_bytes);
  }
}

void run_on_gpu(StreamContext& stream, const GatherMeanArgs& args) {
  if (args.count == 0 || args.cols == 0) {
    return;
  }
  with_float_type(args.dtype, [&]<class T>(T*) {
    constexpr int kPack = packed_count<T>();
    if (args.cols % kPack == 0 && are_aligned(args.table, args.out)) {
      launch_rows<gather_mean_kernel<T, kPack>>(stream, args, args.count, args.cols / kPack);
    } else {
      launch_rows<gather_mean_kernel<T, 1>>(stream, args, args.count, args.cols);
    }
  });
}

void run_on_gpu(StreamContext& stream, const ScatterAddArgs& args) {
  if (args.count == 0 || args.cols == 0) {
    return;
  }
  with_float_type(args.in_dtype,
                  [&]<class T>(T*) { launch_rows<scatter_add_kernel<T>>(stream, args, args.count, args.cols); });
}

void run_on_gpu(StreamContext& stream, const CombineArgs& args) {
  if (args.tokens == 0 || args.cols == 0) {
    return;
  }
  with_float_type(args.dtype, [&]<class T>(T*) {
    constexpr int kPack = packed_count<T>();
    if (args.cols % kPack == 0 && are_aligned(args.in, args.out)) {
      launch_rows<combine_kernel<T, kPack>>(stream, args, args.tokens, args.cols / kPack);
    } else {
      launch_rows<combine_kernel<T, 1>>(stream, args, args.tokens, args.cols);
    }
  });
}

void run_on_gpu(StreamContext& stream, const AcceptArgs& args) {
  if (args.batch > 0) {
    launch<accept_kernel>(stream, grid_for(args.batch), kElementBlock, 0, args);
  }
}

}  // namespace aaco::gpu
