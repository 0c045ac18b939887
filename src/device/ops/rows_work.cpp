// SPDX-License-Identifier: MIT
#include <cstddef>

#include "device/ops/array_list.h"
#include "device/ops/reduce_plan.h"

namespace aaco {

namespace {

double product(int64_t rows, int64_t cols) { return static_cast<double>(rows) * static_cast<double>(cols); }

}  // namespace

OpWork work_of(const ReduceArgs& args) {
  OpWork work;
  work.flops = product(args.rows, args.cols);
  work.order_free = reduce_splits(args) == 1;
  const int64_t results = args.axis == ReduceAxis::kAlongRow ? args.rows : args.cols;
  add_array(work, offsetof(ReduceArgs, in), args.in, args.rows * args.cols, Access::kRead, args.in_dtype);
  const bool adds = args.accumulate != 0 && args.op == ReduceOp::kSum;
  add_array(work, offsetof(ReduceArgs, out), args.out, results, adds ? Access::kReadWrite : Access::kWrite,
            args.out_dtype);
  return work;
}

// Scale, maximum, difference, exp, sum, quotient.
OpWork work_of(const SoftmaxArgs& args) {
  OpWork work;
  work.flops = 6 * product(args.rows, args.cols);
  add_array(work, offsetof(SoftmaxArgs, in), args.in, args.rows * args.cols, Access::kRead, args.dtype);
  add_array(work, offsetof(SoftmaxArgs, out), args.out, args.rows * args.cols, Access::kWrite, args.dtype);
  return work;
}

// The inner product: 2; difference and two products: 3.
OpWork work_of(const SoftmaxGradArgs& args) {
  OpWork work;
  work.flops = 5 * product(args.rows, args.cols);
  add_array(work, offsetof(SoftmaxGradArgs, out), args.out, args.rows * args.cols, Access::kRead, args.dtype);
  add_array(work, offsetof(SoftmaxGradArgs, out_grad), args.out_grad, args.rows * args.cols, Access::kRead, args.dtype);
  add_array(work, offsetof(SoftmaxGradArgs, in_grad), args.in_grad, args.rows * args.cols, Access::kWrite, args.dtype);
  return work;
}

// kLayer: mean 1, variance 3, normalise 2, weight and bias 1 each where given; kRms: square and sum 2, normalise 1;
// what is added before: 1.
OpWork work_of(const NormArgs& args) {
  OpWork work;
  const bool layer = args.kind == NormKind::kLayer;
  const double affine = (args.weight != nullptr ? 1 : 0) + (layer && args.bias != nullptr ? 1 : 0);
  const double added = args.add != nullptr ? 1 : 0;
  work.flops = ((layer ? 6 : 3) + affine + added) * product(args.rows, args.cols);
  add_array(work, offsetof(NormArgs, in), args.in, args.rows * args.cols, Access::kRead, args.dtype);
  add_array(work, offsetof(NormArgs, weight), args.weight, args.cols, Access::kRead, args.dtype);
  add_array(work, offsetof(NormArgs, out), args.out, args.rows * args.cols, Access::kWrite, args.dtype);
  if (layer) {
    add_array(work, offsetof(NormArgs, bias), args.bias, args.cols, Access::kRead, args.dtype);
    add_array(work, offsetof(NormArgs, mean), args.mean, args.rows, Access::kWrite, Dtype::kF32);
  }
  add_array(work, offsetof(NormArgs, rstd), args.rstd, args.rows, Access::kWrite, Dtype::kF32);
  if (args.add != nullptr) {
    add_array(work, offsetof(NormArgs, add), args.add, args.rows * args.cols, Access::kRead, args.dtype);
    add_array(work, offsetof(NormArgs, sum), args.sum, args.rows * args.cols, Access::kWrite, args.dtype);
  }
  return work;
}

// The normalised input: 2 (kRms 1); times weight 1; the two means: 3 (kRms 2); the gradient: 4 (kRms 3); what is added
// to it 1; those of weight 2 and bias 1 where asked for. Blocks add theirs up atomically, but with `partial`.
OpWork work_of(const NormGradArgs& args) {
  OpWork work;
  const bool layer = args.kind == NormKind::kLayer;
  const bool weighs = args.weight_grad != nullptr || args.partial != nullptr;
  const double of_parameters = (weighs ? 2 : 0) + (args.bias_grad != nullptr ? 1 : 0);
  const double weighted = args.weight != nullptr ? 1 : 0;
  const double added = args.add != nullptr ? 1 : 0;
  const bool in_order = args.partial != nullptr;
  work.flops = ((layer ? 9 : 6) + weighted + added + of_parameters) * product(args.rows, args.cols);
  work.order_free = in_order || (args.weight_grad == nullptr && args.bias_grad == nullptr);
  add_array(work, offsetof(NormGradArgs, in), args.in, args.rows * args.cols, Access::kRead, args.dtype);
  add_array(work, offsetof(NormGradArgs, weight), args.weight, args.cols, Access::kRead, args.dtype);
  if (layer) {
    add_array(work, offsetof(NormGradArgs, mean), args.mean, args.rows, Access::kRead, Dtype::kF32);
  }
  add_array(work, offsetof(NormGradArgs, rstd), args.rstd, args.rows, Access::kRead, Dtype::kF32);
  add_array(work, offsetof(NormGradArgs, out_grad), args.out_grad, args.rows * args.cols, Access::kRead, args.dtype);
  add_array(work, offsetof(NormGradArgs, in_grad), args.in_grad, args.rows * args.cols, Access::kWrite, args.dtype);
  add_array(work, offsetof(NormGradArgs, weight_grad), args.weight_grad, args.cols,
            in_order ? Access::kWrite : Access::kReadWrite, Dtype::kF32);
  add_array(work, offsetof(NormGradArgs, bias_grad), args.bias_grad, args.cols, Access::kReadWrite, Dtype::kF32);
  add_array(work, offsetof(NormGradArgs, add), args.add, args.rows * args.cols, Access::kRead, args.dtype);
  add_array(work, offsetof(NormGradArgs, partial), args.partial, norm_grad_parts(args.rows) * args.cols,
            args.weight_grad != nullptr ? Access::kScratch : Access::kWrite, Dtype::kF32);
  return work;
}

OpWork work_of(const SumPartsArgs& args) {
  OpWork work;
  const int64_t sums = args.groups * args.cols;
  work.flops = product(sums, args.parts);
  add_array(work, offsetof(SumPartsArgs, in), args.in, sums * args.parts, Access::kRead, Dtype::kF32);
  add_array(work, offsetof(SumPartsArgs, out), args.out, sums, Access::kWrite, Dtype::kF32);
  return work;
}

// One comparison per element at least: how many more depends on the data.
OpWork work_of(const TopKArgs& args) {
  OpWork work;
  work.flops = product(args.rows, args.cols);
  add_array(work, offsetof(TopKArgs, in), args.in, args.rows * args.cols, Access::kRead, args.dtype);
  add_array(work, offsetof(TopKArgs, values), args.values, args.rows * args.k, Access::kWrite, args.dtype);
  add_array(work, offsetof(TopKArgs, indices), args.indices, args.rows * args.k, Access::kWrite, Dtype::kI32);
  return work;
}

// Maximum, difference, exp, sum; the gradient: quotient, scale.
OpWork work_of(const CrossEntropyArgs& args) {
  OpWork work;
  work.flops = (args.grad != nullptr ? 6 : 4) * product(args.rows, args.cols);
  add_array(work, offsetof(CrossEntropyArgs, logits), args.logits, args.rows * args.cols, Access::kRead, args.dtype);
  add_array(work, offsetof(CrossEntropyArgs, targets), args.targets, args.rows, Access::kRead, Dtype::kI32);
  add_array(work, offsetof(CrossEntropyArgs, loss), args.loss, args.rows, Access::kWrite, Dtype::kF32);
  add_array(work, offsetof(CrossEntropyArgs, grad), args.grad, args.rows * args.cols, Access::kWrite, args.dtype);
  return work;
}

}  // namespace aaco
