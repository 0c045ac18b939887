// SPDX-License-Identifier: MIT
#include "device/gpu/libraries/gemm_epilogue.h"

#include "device/gpu/run_on_gpu.h"

namespace aaco::gpu {

namespace {

// The element-wise operations take arrays without gaps: f(first element, rows) for the longest runs of rows that are.
template <class F>
void for_each_run(const GemmArgs& args, F&& f) {
  auto* const first = static_cast<char*>(args.c);
  const int64_t bytes = size_of(args.out_dtype);
  const bool rows_touch = args.ldc == args.n || args.m == 1;
  const bool all_touch = rows_touch && (args.batch == 1 || args.stride_c == args.m * args.n);
  if (all_touch) {
    f(static_cast<void*>(first), args.batch * args.m);
    return;
  }
  for (int64_t b = 0; b < args.batch; ++b) {
    char* const matrix = first + b * args.stride_c * bytes;
    if (rows_touch) {
      f(static_cast<void*>(matrix), args.m);
      continue;
    }
    for (int64_t row = 0; row < args.m; ++row) {
      f(static_cast<void*>(matrix + row * args.ldc * bytes), int64_t{1});
    }
  }
}

}  // namespace

void add_bias(StreamContext& stream, const GemmArgs& args) {
  for_each_run(args, [&](void* c, int64_t rows) {
    BinaryArgs add;
    add.a = c;
    add.b = args.bias;
    add.out = c;
    add.n = rows * args.n;
    add.b_period = args.n;
    add.op = BinaryOp::kAdd;
    add.dtype = args.out_dtype;
    run_on_gpu(stream, add);
  });
}

void activate(StreamContext& stream, const GemmArgs& args) {
  if (args.epilogue != Epilogue::kBiasRelu && args.epilogue != Epilogue::kBiasGelu) {
    return;
  }
  for_each_run(args, [&](void* c, int64_t rows) {
    UnaryArgs unary;
    unary.in = c;
    unary.out = c;
    unary.n = rows * args.n;
    unary.op = args.epilogue == Epilogue::kBiasRelu ? UnaryOp::kRelu : UnaryOp::kGelu;
    unary.in_dtype = args.out_dtype;
    unary.out_dtype = args.out_dtype;
    run_on_gpu(stream, unary);
  });
}

}  // namespace aaco::gpu
