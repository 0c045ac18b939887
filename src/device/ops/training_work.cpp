// SPDX-License-Identifier: MIT
// Operations of a training step. What the clock says is known on the device only, but changes no count.
#include <algorithm>
#include <cstddef>

#include "device/ops/array_list.h"

namespace aaco {

namespace {

struct PitchedRows {
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t pitch = 0;
};

void add_pitched(OpWork& work, size_t offset, const void* pointer, const PitchedRows& pitched_rows, Access access,
                 Dtype dtype) {
  const int64_t used = pitched_rows.rows * pitched_rows.cols;
  add_array(work, offset, pointer, used == 0 ? 0 : (pitched_rows.rows - 1) * pitched_rows.pitch + pitched_rows.cols,
            used, access, dtype);
  set_last_rows(work, pointer, pitched_rows.pitch, pitched_rows.cols);
}

double elements(const PitchedRows& pitched_rows) {
  return static_cast<double>(pitched_rows.rows) * static_cast<double>(pitched_rows.cols);
}

}  // namespace

// An addition per row of the loss; what the one clock costs is not counted.
OpWork work_of(const TickArgs& args) {
  OpWork work;
  work.flops = args.loss != nullptr ? static_cast<double>(args.rows) : 0;
  add_clock(work, offsetof(TickArgs, clock), args.clock, Access::kReadWrite);
  add_array(work, offsetof(TickArgs, loss), args.loss, args.rows, Access::kRead, Dtype::kF32);
  add_array(work, offsetof(TickArgs, history), args.history, args.history_length, 1, Access::kReadWrite, Dtype::kF32);
  return work;
}

OpWork work_of(const TokenBatchArgs& args) {
  OpWork work;
  const int64_t batch = args.sequences * (args.length + 1);
  add_array(work, offsetof(TokenBatchArgs, tokens), args.tokens, args.batches * batch,
            std::min<int64_t>(args.batches, 1) * batch, Access::kRead, Dtype::kI32);
  add_clock(work, offsetof(TokenBatchArgs, clock), args.clock, Access::kRead);
  add_array(work, offsetof(TokenBatchArgs, inputs), args.inputs, args.sequences * args.length, Access::kWrite,
            Dtype::kI32);
  add_array(work, offsetof(TokenBatchArgs, targets), args.targets, args.sequences * args.length, Access::kWrite,
            Dtype::kI32);
  return work;
}

// Of each pair four products, a sum and a difference.
OpWork work_of(const RotaryArgs& args) {
  OpWork work;
  const PitchedRows rows{args.rows, int64_t{args.heads} * args.head_dim, args.pitch};
  work.flops = 3 * elements(rows);
  add_pitched(work, offsetof(RotaryArgs, in), args.in, rows, Access::kRead, args.dtype);
  add_array(work, offsetof(RotaryArgs, table), args.table, int64_t{args.length} * args.head_dim,
            std::min<int64_t>(args.rows, args.length) * args.head_dim, Access::kRead, Dtype::kF32);
  add_pitched(work, offsetof(RotaryArgs, out), args.out, rows, Access::kWrite, args.dtype);
  return work;
}

// silu: exp, add, divide; the product.
OpWork work_of(const GluArgs& args) {
  OpWork work;
  const PitchedRows rows{args.rows, args.cols, args.pitch};
  work.flops = 4 * elements(rows);
  add_pitched(work, offsetof(GluArgs, gate), args.gate, rows, Access::kRead, args.dtype);
  add_pitched(work, offsetof(GluArgs, up), args.up, rows, Access::kRead, args.dtype);
  add_array(work, offsetof(GluArgs, out), args.out, args.rows * args.cols, Access::kWrite, args.dtype);
  return work;
}

// s: exp, add, divide; of up: x * s, the chain; of gate: s * (1 + x * (1 - s)) 4, times up, the chain.
OpWork work_of(const GluGradArgs& args) {
  OpWork work;
  const PitchedRows rows{args.rows, args.cols, args.pitch};
  work.flops = (args.active != nullptr ? 12 : 11) * elements(rows);
  add_pitched(work, offsetof(GluGradArgs, gate), args.gate, rows, Access::kRead, args.dtype);
  add_pitched(work, offsetof(GluGradArgs, up), args.up, rows, Access::kRead, args.dtype);
  add_array(work, offsetof(GluGradArgs, out_grad), args.out_grad, args.rows * args.cols, Access::kRead, args.dtype);
  add_pitched(work, offsetof(GluGradArgs, gate_grad), args.gate_grad, rows, Access::kWrite, args.dtype);
  add_pitched(work, offsetof(GluGradArgs, up_grad), args.up_grad, rows, Access::kWrite, args.dtype);
  add_array(work, offsetof(GluGradArgs, active), args.active, args.rows * args.cols, Access::kWrite, args.dtype);
  return work;
}

OpWork work_of(const SplitHeadsArgs& args) {
  OpWork work;
  const LayoutTensor in{args.layout, args.batch, args.length, args.heads / args.repeat, args.head_dim};
  add_laid_out(work, offsetof(SplitHeadsArgs, in), args.in, in, Access::kRead, args.dtype);
  add_array(work, offsetof(SplitHeadsArgs, out), args.out,
            int64_t{args.batch} * args.heads * args.length * args.head_dim, Access::kWrite, args.dtype);
  return work;
}

// All but the first of each sum are added.
OpWork work_of(const MergeHeadsArgs& args) {
  OpWork work;
  const int64_t elements = int64_t{args.batch} * args.heads * args.length * args.head_dim;
  const LayoutTensor out{args.layout, args.batch, args.length, args.heads / args.repeat, args.head_dim};
  const int64_t sums = elements / args.repeat;
  work.flops = static_cast<double>(sums) * (args.repeat - 1);
  add_array(work, offsetof(MergeHeadsArgs, in), args.in, elements, Access::kRead, args.dtype);
  add_laid_out(work, offsetof(MergeHeadsArgs, out), args.out, out, Access::kWrite, args.dtype);
  return work;
}

namespace {

// Of an operation with a mask: its arrays in the order of its arguments, and a product per element; GELU 5, its
// derivative 8.
double mask_flops(int64_t n, UnaryOp op, double of_gelu) {
  return static_cast<double>(n) * (op == UnaryOp::kGelu ? 1 + of_gelu : 1);
}

}  // namespace

OpWork work_of(const DropoutArgs& args) {
  OpWork work;
  work.flops = mask_flops(args.n, args.op, 5) + (args.add != nullptr ? static_cast<double>(args.n) : 0);
  add_array(work, offsetof(DropoutArgs, in), args.in, args.n, Access::kRead, args.dtype);
  add_array(work, offsetof(DropoutArgs, add), args.add, args.n, Access::kRead, args.dtype);
  add_array(work, offsetof(DropoutArgs, out), args.out, args.n, Access::kWrite, args.dtype);
  add_clock(work, offsetof(DropoutArgs, mask) + offsetof(DropoutMask, clock), args.mask.clock, Access::kRead);
  return work;
}

OpWork work_of(const DropoutGradArgs& args) {
  OpWork work;
  work.flops = mask_flops(args.n, args.op, 8);
  if (args.op != UnaryOp::kCast) {
    add_array(work, offsetof(DropoutGradArgs, in), args.in, args.n, Access::kRead, args.dtype);
  }
  add_array(work, offsetof(DropoutGradArgs, out_grad), args.out_grad, args.n, Access::kRead, args.dtype);
  add_array(work, offsetof(DropoutGradArgs, in_grad), args.in_grad, args.n, Access::kWrite, args.dtype);
  add_clock(work, offsetof(DropoutGradArgs, mask) + offsetof(DropoutMask, clock), args.mask.clock, Access::kRead);
  return work;
}

// exp, log, two sums, two products; quotient, difference, two products.
OpWork work_of(const BinaryCrossEntropyArgs& args) {
  OpWork work;
  work.flops = 10 * static_cast<double>(args.n);
  add_array(work, offsetof(BinaryCrossEntropyArgs, score), args.score, args.n, Access::kRead, args.dtype);
  add_array(work, offsetof(BinaryCrossEntropyArgs, target), args.target, args.n, Access::kRead, Dtype::kF32);
  add_array(work, offsetof(BinaryCrossEntropyArgs, weight), args.weight, args.n, Access::kRead, Dtype::kF32);
  add_array(work, offsetof(BinaryCrossEntropyArgs, loss), args.loss, args.n, Access::kWrite, Dtype::kF32);
  add_array(work, offsetof(BinaryCrossEntropyArgs, grad), args.grad, args.n, Access::kWrite, args.dtype);
  return work;
}

}  // namespace aaco
