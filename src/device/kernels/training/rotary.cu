// SPDX-License-Identifier: MIT
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/index_division.h"
#include "device/kernels/row_teams.h"

namespace aaco::gpu {

namespace {

struct RotaryKernelArgs {
  RotaryArgs op;
  int64_t items = 0;  // of kPack elements, per row
  uint32_t team = 1;
};

// kPack is even: whole pairs.
template <class T, int kPack>
AACO_KERNEL void rotary_kernel(RotaryKernelArgs args) {
  wait_for_previous();
  const RotaryArgs& op = args.op;
  const T* in = static_cast<const T*>(op.in);
  T* out = static_cast<T*>(op.out);
  const float direction = op.inverse != 0 ? -1 : 1;
  for_row_items(args.team, op.rows, args.items, [&](int64_t row, int64_t item) {
    const int64_t column = item * kPack;
    const int64_t position = remainder(row, op.length);
    const int64_t of_head = remainder(column, op.head_dim);
    float angles[kPack];
    float values[kPack];
    load_pack<kPack>(op.table, position * op.head_dim + of_head, angles);
    load_pack<kPack>(in, row * op.pitch + column, values);
    AACO_UNROLL
    for (int j = 0; j < kPack; j += 2) {
      const float sine = direction * angles[j + 1];
      const float x = values[j];
      const float y = values[j + 1];
      values[j] = x * angles[j] - y * sine;
      values[j + 1] = x * sine + y * angles[j];
    }
    store_pack<kPack>(out, row * op.pitch + column, values);
  });
}

// A pair per thread, element by element.
template <class T>
AACO_KERNEL void rotary_pairs(RotaryKernelArgs args) {
  wait_for_previous();
  const RotaryArgs& op = args.op;
  const T* in = static_cast<const T*>(op.in);
  T* out = static_cast<T*>(op.out);
  for_row_items(args.team, op.rows, args.items, [&](int64_t row, int64_t item) {
    const int64_t place = row * op.pitch + item * 2;
    const int64_t position = remainder(row, op.length);
    const float* angle = op.table + position * op.head_dim + remainder(item * 2, op.head_dim);
    const float sine = op.inverse != 0 ? -angle[1] : angle[1];
    const float x = load(in, place);
    const float y = load(in, place + 1);
    store(out, place, x * angle[0] - y * sine);
    store(out, place + 1, x * sine + y * angle[0]);
  });
}

template <auto kKernel>
void launch_rotary(StreamContext& stream, const RotaryArgs& args, int64_t items) {
  const RowTeams teams = row_teams(args.rows, items);
  launch_behind<kKernel>(stream, teams.grid, kElementBlock, 0, RotaryKernelArgs{args, items, teams.team});
}

}  // namespace

void run_on_gpu(StreamContext& stream, const RotaryArgs& args) {
  const int64_t cols = static_cast<int64_t>(args.heads) * args.head_dim;
  if (args.rows == 0 || cols == 0) {
    return;
  }
  with_float_type(args.dtype, [&]<class T>(T*) {
    constexpr int kPack = packed_count<T>();
    const bool packed = args.head_dim % kPack == 0 && args.pitch % kPack == 0 &&
                        are_aligned(static_cast<const char*>(args.in), static_cast<const char*>(args.out), args.table);
    if (packed) {
      launch_rotary<rotary_kernel<T, kPack>>(stream, args, cols / kPack);
    } else {
      launch_rotary<rotary_pairs<T>>(stream, args, cols / 2);
    }
  });
}

}  // namespace aaco::gpu
