// SPDX-License-Identifier: MIT
#include "workload/layers/turnover.h"

namespace aaco {

BinaryArgs integers(const Tensor& a, BinaryOp op, const Tensor& b, const Tensor& out) {
  BinaryArgs args;
  args.a = a.data;
  args.b = b.data;
  args.out = out.data;
  args.n = a.elements();
  args.b_period = b.elements();
  args.op = op;
  args.dtype = Dtype::kI32;
  return args;
}

Tensor counting(WorkloadBuilder& builder, int64_t count) {
  const Tensor numbers = builder.tensor(Dtype::kI32, {count});
  for (int64_t i = 0; i < count; ++i) {
    builder.setup().op(0, FillArgs{numbers.view(i, {1}).data, 1, static_cast<double>(i), Dtype::kI32});
  }
  return numbers;
}

Turnover make_turnover(WorkloadBuilder& builder, int64_t slots, int64_t rounds) {
  Turnover turnover;
  turnover.age = builder.tensor(Dtype::kI32, {slots});
  turnover.done = builder.tensor(Dtype::kI32, {slots});
  turnover.keep = builder.tensor(Dtype::kI32, {slots});
  turnover.ones = builder.filled(Dtype::kI32, {slots}, 1);
  turnover.zero = builder.tensor(Dtype::kI32, {1});
  turnover.last_age = builder.filled(Dtype::kI32, {1}, static_cast<double>(rounds - 1));
  return turnover;
}

// An age is at most last_age + 1 here, so that what it has above last_age is 0 or 1, and negative for the others.
void advance(Program& program, int32_t stream, const Turnover& turnover) {
  program.op(stream, integers(turnover.age, BinaryOp::kAdd, turnover.ones, turnover.age));
  program.op(stream, integers(turnover.age, BinaryOp::kSub, turnover.last_age, turnover.done));
  program.op(stream, integers(turnover.done, BinaryOp::kMax, turnover.zero, turnover.done));
  program.op(stream, integers(turnover.ones, BinaryOp::kSub, turnover.done, turnover.keep));
  program.op(stream, integers(turnover.age, BinaryOp::kMul, turnover.keep, turnover.age));
}

}  // namespace aaco
