// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>

#include "device/ops/array_list.h"

namespace aaco {

namespace {

// Operations per element of the formulas in elementwise.h; a comparison is one, a change of sign none.
double flops_of(UnaryOp op) {
  switch (op) {
    case UnaryOp::kCast:
      return 0;
    case UnaryOp::kAbs:
    case UnaryOp::kRelu:
    case UnaryOp::kExp:
    case UnaryOp::kSquare:
      return 1;
    case UnaryOp::kScaleShift:
    case UnaryOp::kClamp:
      return 2;
    case UnaryOp::kSilu:  // exp, add, divide
      return 3;
    case UnaryOp::kGelu:  // x / sqrt 2, erf, 1 + it, times x, times 0.5
      return 5;
  }
  return 0;
}

// The derivatives as elementwise_cpu.cpp writes them, and the product with out_grad.
double flops_of_gradient(UnaryOp op) {
  switch (op) {
    case UnaryOp::kGelu:  // phi(x): 3 products, exp; Phi(x): product, erf, add, product; product, add; the chain
      return 11;
    case UnaryOp::kSilu:  // s: exp, add, divide; s * (1 + x * (1 - s)): 4; the chain
      return 8;
    default:
      return 1;
  }
}

}  // namespace

OpWork work_of(const FillArgs& args) {
  OpWork work;
  add_array(work, offsetof(FillArgs, out), args.out, args.n, Access::kWrite, args.dtype);
  return work;
}

// The generator's integers are no FLOPs.
OpWork work_of(const RandomArgs& args) {
  OpWork work;
  add_array(work, offsetof(RandomArgs, out), args.out, args.n, Access::kWrite, args.dtype);
  return work;
}

OpWork work_of(const UnaryArgs& args) {
  OpWork work;
  work.flops = flops_of(args.op) * static_cast<double>(args.n);
  add_array(work, offsetof(UnaryArgs, in), args.in, args.n, Access::kRead, args.in_dtype);
  add_array(work, offsetof(UnaryArgs, out), args.out, args.n, Access::kWrite, args.out_dtype);
  return work;
}

OpWork work_of(const UnaryGradArgs& args) {
  OpWork work;
  work.flops = flops_of_gradient(args.op) * static_cast<double>(args.n);
  add_array(work, offsetof(UnaryGradArgs, in), args.in, args.n, Access::kRead, args.dtype);
  add_array(work, offsetof(UnaryGradArgs, out_grad), args.out_grad, args.n, Access::kRead, args.dtype);
  add_array(work, offsetof(UnaryGradArgs, in_grad), args.in_grad, args.n, Access::kWrite, args.dtype);
  return work;
}

OpWork work_of(const BinaryArgs& args) {
  OpWork work;
  const double scaled = args.dtype == Dtype::kI32 || args.scale == 1 ? 0 : 1;
  const double combined = args.op == BinaryOp::kSiluMul ? 4 : 1;  // silu as above
  work.flops = (scaled + combined) * static_cast<double>(args.n);
  const int64_t b_elements = std::min(args.b_period, (args.n + args.b_repeat - 1) / args.b_repeat);
  add_array(work, offsetof(BinaryArgs, a), args.a, args.n, Access::kRead, args.dtype);
  add_array(work, offsetof(BinaryArgs, b), args.b, b_elements, Access::kRead, args.dtype);
  add_array(work, offsetof(BinaryArgs, out), args.out, args.n, Access::kWrite, args.dtype);
  return work;
}

}  // namespace aaco
