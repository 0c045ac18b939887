// SPDX-License-Identifier: MIT
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/row_teams.h"

namespace aaco::gpu {

namespace {

template <class Args>
struct GluKernelArgs {
  Args op;
  int64_t items = 0;  // of kPack elements, per row
  uint32_t team = 1;
};

AACO_DEVICE float sigmoid(float x) { return 1 / (1 + expf(-x)); }

template <class T, int kPack>
AACO_KERNEL void glu_kernel(GluKernelArgs<GluArgs> args) {
  wait_for_previous();
  const GluArgs& op = args.op;
  for_row_items(args.team, op.rows, args.items, [&](int64_t row, int64_t item) {
    const int64_t place = row * op.pitch + item * kPack;
    float gate[kPack];
    float up[kPack];
    load_pack<kPack>(static_cast<const T*>(op.gate), place, gate);
    load_pack<kPack>(static_cast<const T*>(op.up), place, up);
    AACO_UNROLL
    for (int j = 0; j < kPack; ++j) {
      up[j] *= gate[j] / (1 + expf(-gate[j]));
    }
    store_pack<kPack>(static_cast<T*>(op.out), row * op.cols + item * kPack, up);
  });
}

template <class T, int kPack>
AACO_KERNEL void glu_grad_kernel(GluKernelArgs<GluGradArgs> args) {
  wait_for_previous();
  const GluGradArgs& op = args.op;
  for_row_items(args.team, op.rows, args.items, [&](int64_t row, int64_t item) {
    const int64_t place = row * op.pitch + item * kPack;
    float gate[kPack];
    float up[kPack];
    float grad[kPack];
    float active[kPack];
    load_pack<kPack>(static_cast<const T*>(op.gate), place, gate);
    load_pack<kPack>(static_cast<const T*>(op.up), place, up);
    load_pack<kPack>(static_cast<const T*>(op.out_grad), row * op.cols + item * kPack, grad);
    AACO_UNROLL
    for (int j = 0; j < kPack; ++j) {
      const float x = gate[j];
      const float s = sigmoid(x);
      active[j] = x * s * up[j];
      gate[j] = grad[j] * (s * (1 + x * (1 - s))) * up[j];
      up[j] = grad[j] * (x * s);
    }
    store_pack<kPack>(static_cast<T*>(op.gate_grad), place, gate);
    store_pack<kPack>(static_cast<T*>(op.up_grad), place, up);
    if (op.active != nullptr) {
      store_pack<kPack>(static_cast<T*>(op.active), row * op.cols + item * kPack, active);
    }
  });
}

template <auto kKernel, class Args>
void launch_glu(StreamContext& stream, const Args& args, int64_t items) {
  const RowTeams teams = row_teams(args.rows, items);
  launch_behind<kKernel>(stream, teams.grid, kElementBlock, 0, GluKernelArgs<Args>{args, items, teams.team});
}

// Whether rows can be gone through in packs.
template <class Args>
bool has_whole_packs(const Args& args, int pack) {
  return args.cols % pack == 0 && (args.rows == 1 || args.pitch % pack == 0);
}

}  // namespace

void run_on_gpu(StreamContext& stream, const GluArgs& args) {
  if (args.rows == 0 || args.cols == 0) {
    return;
  }
  with_float_type(args.dtype, [&]<class T>(T*) {
    constexpr int kPack = packed_count<T>();
    if (has_whole_packs(args, kPack) && are_aligned(args.gate, args.up, args.out)) {
      launch_glu<glu_kernel<T, kPack>>(stream, args, args.cols / kPack);
    } else {
      launch_glu<glu_kernel<T, 1>>(stream, args, args.cols);
    }
  });
}

void run_on_gpu(StreamContext& stream, const GluGradArgs& args) {
  if (args.rows == 0 || args.cols == 0) {
    return;
  }
  with_float_type(args.dtype, [&]<class T>(T*) {
    constexpr int kPack = packed_count<T>();
    if (has_whole_packs(args, kPack) &&
        are_aligned(args.gate, args.up, args.out_grad, args.gate_grad, args.up_grad, args.active)) {
      launch_glu<glu_grad_kernel<T, kPack>>(stream, args, args.cols / kPack);
    } else {
      launch_glu<glu_grad_kernel<T, 1>>(stream, args, args.cols);
    }
  });
}

}  // namespace aaco::gpu
