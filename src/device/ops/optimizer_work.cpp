// SPDX-License-Identifier: MIT
#include <cstddef>

#include "device/ops/array_list.h"

namespace aaco {

OpWork work_of(const SgdArgs& args) {
  OpWork work;
  work.flops = 2.0 * static_cast<double>(args.n);
  add_array(work, offsetof(SgdArgs, param), args.param, args.n, Access::kReadWrite, Dtype::kF32);
  add_array(work, offsetof(SgdArgs, grad), args.grad, args.n, Access::kRead, Dtype::kF32);
  add_array(work, offsetof(SgdArgs, low), args.low, args.n, Access::kWrite, args.low_dtype);
  return work;
}

// first: 3; second: 4; update: two corrections, root, sum, quotient, product, difference: 7; decay: 1.
OpWork work_of(const AdamArgs& args) {
  const int64_t low_grads = args.low_end - args.low_from;
  OpWork work;
  work.flops = (args.grad_scale != nullptr ? 16.0 : 15.0) * static_cast<double>(args.n);
  add_array(work, offsetof(AdamArgs, param), args.param, args.n, Access::kReadWrite, Dtype::kF32);
  add_array(work, offsetof(AdamArgs, grad), args.grad, args.n - low_grads, Access::kRead, Dtype::kF32);
  add_array(work, offsetof(AdamArgs, low_grad), args.low_grad, low_grads, Access::kRead, args.low_dtype);
  add_array(work, offsetof(AdamArgs, first), args.first, args.n, Access::kReadWrite, Dtype::kF32);
  add_array(work, offsetof(AdamArgs, second), args.second, args.n, Access::kReadWrite, Dtype::kF32);
  add_array(work, offsetof(AdamArgs, low), args.low, args.n, Access::kWrite, args.low_dtype);
  add_clock(work, offsetof(AdamArgs, clock), args.clock, Access::kRead);
  add_array(work, offsetof(AdamArgs, grad_scale), args.grad_scale, 1, Access::kRead, Dtype::kF32);
  return work;
}

OpWork work_of(const SquareSumArgs& args) {
  OpWork work;
  work.flops = 2.0 * static_cast<double>(args.n);
  add_array(work, offsetof(SquareSumArgs, in), args.in, args.n, Access::kRead, Dtype::kF32);
  add_array(work, offsetof(SquareSumArgs, out), args.out, args.parts, Access::kWrite, Dtype::kF32);
  return work;
}

OpWork work_of(const ClipScaleArgs& args) {
  OpWork work;
  work.flops = static_cast<double>(args.n);
  add_array(work, offsetof(ClipScaleArgs, sums), args.sums, args.n, Access::kRead, Dtype::kF32);
  add_array(work, offsetof(ClipScaleArgs, scale), args.scale, 1, Access::kWrite, Dtype::kF32);
  return work;
}

}  // namespace aaco
