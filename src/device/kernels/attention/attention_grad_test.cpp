// SPDX-License-Identifier: MIT
#include <cmath>
#include <gtest/gtest.h>

#include "device/kernels/attention/attention_problem.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

// What the gradients are of: the sum of out_grad * out.
double loss(const AttentionArgs& args, const AttentionValues& values, const std::vector<float>& out_grad) {
  double sum = 0;
  for (int64_t i = 0; i < int64_t{args.batch} * args.heads * args.q_len; ++i) {
    const int64_t batch = i / args.q_len / args.heads;
    const int64_t head = i / args.q_len % args.heads;
    const int64_t row = i % args.q_len;
    const AttentionRow result = attention_row(args, values, batch, head, row);
    const int64_t place = batch * args.out_layout.batch + row * args.out_layout.row + head * args.out_layout.head;
    for (int64_t d = 0; d < args.head_dim; ++d) {
      sum += out_grad[place + d] * result.out[d];
    }
  }
  return sum;
}

// By central differences, in double, of every element that `used` says belongs to the tensor.
std::vector<double> differences(const AttentionArgs& args, const AttentionValues& values, bool of_q,
                                const std::vector<float>& out_grad) {
  constexpr double kStep = 1e-5;
  AttentionValues moved = values;
  std::vector<double>& moving = of_q ? moved.q : moved.kv;
  std::vector<double> result(moving.size());
  for (size_t i = 0; i < moving.size(); ++i) {
    const double at = moving[i];
    moving[i] = at + kStep;
    const double above = loss(args, moved, out_grad);
    moving[i] = at - kStep;
    const double below = loss(args, moved, out_grad);
    moving[i] = at;
    result[i] = (above - below) / (2 * kStep);
  }
  return result;
}

void check(AttentionArgs shape, bool causal) {
  SCOPED_TRACE(testing::Message() << (causal ? "causal " : "") << shape.q_len << " x " << shape.kv_len);
  shape.causal = causal ? 1 : 0;
  AttentionProblem problem(shape);
  run_on_cpu(problem.args);
  TypedArray out_grad = random_array(shape.dtype, shape.batch * shape.out_layout.batch, 3);
  // Between the rows of q is a gap: it must stay as it is.
  TypedArray dq = poisoned(shape.dtype, shape.batch * shape.q_layout.batch);
  TypedArray dkv = poisoned(shape.dtype, shape.batch * shape.kv_layout.batch);
  std::vector<float> delta(problem.log_sum.size());
  AttentionGradArgs args{.forward = problem.args, .out_grad = out_grad.data(), .dq = dq.data(), .dk = dkv.data()};
  args.dv = static_cast<std::byte*>(dkv.data()) + int64_t{shape.kv_heads} * shape.head_dim * size_of(shape.dtype);
  args.delta = delta.data();
  run_on_cpu(args);

  const AttentionValues values = values_of(problem);
  const std::vector<double> q_expected = differences(problem.args, values, true, out_grad.values());
  const std::vector<double> kv_expected = differences(problem.args, values, false, out_grad.values());
  const std::vector<float> q_got = dq.values();
  const std::vector<float> kv_got = dkv.values();
  const int64_t q_used = int64_t{shape.heads} * shape.head_dim;
  for (size_t i = 0; i < q_got.size(); ++i) {
    if (static_cast<int64_t>(i) % shape.q_layout.row < q_used) {
      ASSERT_NEAR(q_got[i], q_expected[i], 1e-5) << "dq " << i;
    } else {
      ASSERT_TRUE(std::isnan(q_got[i])) << "dq writes beside itself at " << i;
    }
  }
  for (size_t i = 0; i < kv_got.size(); ++i) {
    ASSERT_NEAR(kv_got[i], kv_expected[i], 1e-5) << "dk, dv " << i;
  }
}

TEST(AttentionGrad, IsTheDerivative) {
  for (const bool causal : {false, true}) {
    check(attention_shape(2, 2, 2, 5, 5, 4), causal);
    check(attention_shape(1, 4, 2, 3, 7, 5), causal);  // two heads add to one key's gradient
    check(attention_shape(1, 3, 1, 6, 4, 3), causal);  // rows that see no key
  }
}

// The same in fp16 and bf16: against fp32 on the same, rounded inputs. Rounding `out` to the type moves delta by up to
// half a unit of it per product.
TEST(AttentionGrad, OfNarrowTypesIsNearTheWideOne) {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBf16}) {
    AttentionArgs shape = attention_shape(1, 4, 2, 9, 13, 16);
    std::vector<std::vector<float>> results;
    for (const Dtype weight_dtype : {Dtype::kF32, dtype}) {
      shape.dtype = weight_dtype;
      shape.causal = 1;
      AttentionProblem problem(shape);
      problem.q = TypedArray(weight_dtype, random_array(dtype, shape.q_layout.batch, 1).values());
      problem.kv = TypedArray(weight_dtype, random_array(dtype, shape.kv_layout.batch, 2).values());
      problem.args.q = problem.q.data();
      problem.args.k = problem.kv.data();
      problem.args.v =
          static_cast<std::byte*>(problem.kv.data()) + int64_t{shape.kv_heads} * shape.head_dim * size_of(weight_dtype);
      run_on_cpu(problem.args);
      TypedArray out_grad(weight_dtype, random_array(dtype, shape.out_layout.batch, 3).values());
      TypedArray dq(weight_dtype, std::vector<float>(shape.q_layout.batch, 0.0F));
      TypedArray dk = poisoned(weight_dtype, shape.kv_layout.batch);
      TypedArray dv = poisoned(weight_dtype, shape.kv_layout.batch);
      std::vector<float> delta(problem.log_sum.size());
      run_on_cpu(AttentionGradArgs{problem.args, out_grad.data(), dq.data(), dk.data(), dv.data(), delta.data()});
      results.push_back(dq.values());
    }
    const float unit = dtype == Dtype::kF16 ? 0x1p-11F : 0x1p-8F;
    for (size_t i = 0; i < results[0].size(); ++i) {
      ASSERT_NEAR(results[0][i], results[1][i], 4 * unit) << name_of(dtype) << " at " << i;
    }
  }
}

}  // namespace
}  // namespace aaco
