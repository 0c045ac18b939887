// SPDX-License-Identifier: MIT
// Heads apart and side by side: a team of threads for each head of each row, in the order in which they are written.
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/index_division.h"
#include "device/kernels/row_teams.h"

namespace aaco::gpu {

namespace {

template <class Args>
struct HeadsKernelArgs {
  Args op;
  int64_t rows = 0;
  int64_t items = 0;  // per row
  uint32_t team = 1;
};

// As words of any size: their type does not matter. Strides of the layout are in words.
template <class Word>
AACO_KERNEL void split_heads_kernel(HeadsKernelArgs<SplitHeadsArgs> args) {
  const SplitHeadsArgs& op = args.op;
  const Word* in = static_cast<const Word*>(op.in);
  Word* out = static_cast<Word*>(op.out);
  for_row_items(args.team, args.rows, args.items, [&](int64_t row, int64_t item) {
    const int64_t head = quotient(row, op.length);  // of all sequences
    const int64_t from = quotient(head, op.heads) * op.layout.batch + remainder(row, op.length) * op.layout.row +
                         quotient(remainder(head, op.heads), op.repeat) * op.layout.head;
    out[row * args.items + item] = in[from + item];
  });
}

template <class T, int kPack>
AACO_KERNEL void merge_heads_kernel(HeadsKernelArgs<MergeHeadsArgs> args) {
  const MergeHeadsArgs& op = args.op;
  const T* in = static_cast<const T*>(op.in);
  T* out = static_cast<T*>(op.out);
  const int64_t groups = op.heads / op.repeat;
  const int64_t head_elements = static_cast<int64_t>(op.length) * op.head_dim;
  for_row_items(args.team, args.rows, args.items, [&](int64_t row, int64_t item) {
    const int64_t group = remainder(row, groups);
    const int64_t position = remainder(quotient(row, groups), op.length);
    const int64_t sequence = quotient(quotient(row, groups), op.length);
    const T* from = in + (sequence * op.heads + group * op.repeat) * head_elements + position * op.head_dim;
    float sums[kPack] = {};
    AACO_UNROLL_BY_4
    for (int32_t j = 0; j < op.repeat; ++j) {
      float values[kPack];
      load_pack<kPack>(from + j * head_elements, item * kPack, values);
      AACO_UNROLL
      for (int k = 0; k < kPack; ++k) {
        sums[k] += values[k];
      }
    }
    const int64_t to = sequence * op.layout.batch + position * op.layout.row + group * op.layout.head;
    store_pack<kPack>(out, to + item * kPack, sums);
  });
}

template <auto kKernel, class Args>
void launch_heads(StreamContext& stream, const Args& args, int64_t rows, int64_t items) {
  const RowTeams teams = row_teams(rows, items);
  launch<kKernel>(stream, teams.grid, kElementBlock, 0, HeadsKernelArgs<Args>{args, rows, items, teams.team});
}

// Whether each head of each row begins, in both arrays, at an address that a pack of so many elements divides.
template <class Args>
bool has_whole_packs(const Args& args, int64_t pack) {
  const AttentionLayout& layout = args.layout;
  return args.head_dim % pack == 0 && layout.batch % pack == 0 && layout.row % pack == 0 && layout.head % pack == 0 &&
         are_aligned(static_cast<const char*>(args.in), static_cast<const char*>(args.out));
}

template <class Word>
void launch_split(StreamContext& stream, SplitHeadsArgs args, int64_t word_elements) {
  args.layout.batch /= word_elements;
  args.layout.row /= word_elements;
  args.layout.head /= word_elements;
  const int64_t rows = static_cast<int64_t>(args.batch) * args.heads * args.length;
  launch_heads<split_heads_kernel<Word>>(stream, args, rows, args.head_dim / word_elements);
}

}  // namespace

void run_on_gpu(StreamContext& stream, const SplitHeadsArgs& args) {
  if (args.batch == 0 || args.length == 0 || args.heads == 0 || args.head_dim == 0) {
    return;
  }
  const int64_t size = size_of(args.dtype);
  if (has_whole_packs(args, 16 / size)) {
    launch_split<Pack<uint32_t, 4>>(stream, args, 16 / size);
  } else if (size == 4) {
    launch_split<uint32_t>(stream, args, 1);
  } else if (size == 2) {
    launch_split<uint16_t>(stream, args, 1);
  } else {
    launch_split<uint8_t>(stream, args, 1);
  }
}

void run_on_gpu(StreamContext& stream, const MergeHeadsArgs& args) {
  if (args.batch == 0 || args.length == 0 || args.heads == 0 || args.head_dim == 0) {
    return;
  }
  const int64_t rows = static_cast<int64_t>(args.batch) * args.length * (args.heads / args.repeat);
  with_float_type(args.dtype, [&]<class T>(T*) {
    constexpr int kPack = packed_count<T>();
    if (has_whole_packs(args, kPack)) {
      launch_heads<merge_heads_kernel<T, kPack>>(stream, args, rows, args.head_dim / kPack);
    } else {
      launch_heads<merge_heads_kernel<T, 1>>(stream, args, rows, args.head_dim);
    }
  });
}

}  // namespace aaco::gpu
