// SPDX-License-Identifier: MIT
#include <cmath>
#include <gtest/gtest.h>

#include "device/kernels/attention/attention_problem.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

void check(AttentionArgs shape, Dtype dtype, bool causal) {
  SCOPED_TRACE(testing::Message() << name_of(dtype) << (causal ? " causal " : " ") << shape.q_len << " x "
                                  << shape.kv_len);
  shape.dtype = dtype;
  shape.causal = causal ? 1 : 0;
  AttentionProblem problem(shape);
  run_on_cpu(problem.args);
  const AttentionValues values = values_of(problem);
  const std::vector<float> got = problem.out.values();
  const double unit = dtype == Dtype::kF16 ? 0x1p-11 : dtype == Dtype::kBf16 ? 0x1p-8 : 0;
  for (int64_t i = 0; i < int64_t{shape.batch} * shape.heads * shape.q_len; ++i) {
    const int64_t batch = i / shape.q_len / shape.heads;
    const int64_t head = i / shape.q_len % shape.heads;
    const int64_t row = i % shape.q_len;
    const AttentionRow expected = attention_row(problem.args, values, batch, head, row);
    if (std::isinf(expected.log_sum)) {
      ASSERT_EQ(problem.log_sum[i], expected.log_sum) << "row " << row;
    } else {
      ASSERT_NEAR(problem.log_sum[i], expected.log_sum, 1e-5) << "row " << row;
    }
    for (int64_t d = 0; d < shape.head_dim; ++d) {
      const int64_t place = batch * shape.out_layout.batch + row * shape.out_layout.row + head * shape.out_layout.head;
      ASSERT_NEAR(got[place + d], expected.out[d], 2e-6 + 1.01 * unit * std::abs(expected.out[d])) << "row " << row;
    }
  }
}

TEST(Attention, IsTheDefinition) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    for (const bool causal : {false, true}) {
      check(attention_shape(2, 3, 3, 9, 9, 8), dtype, causal);
      check(attention_shape(1, 6, 2, 5, 17, 20), dtype, causal);  // a cache before the queries; three heads to a key
      check(attention_shape(2, 4, 1, 7, 4, 33), dtype, causal);   // causal: the first three rows see no key
      check(attention_shape(1, 2, 2, 1, 1, 1), dtype, causal);
    }
  }
}

TEST(Attention, OfNoKeysIsZero) {
  AttentionArgs shape = attention_shape(1, 2, 1, 3, 0, 4);
  AttentionProblem problem(shape);
  run_on_cpu(problem.args);
  EXPECT_EQ(problem.out.values(), std::vector<float>(24, 0.0F));
  EXPECT_EQ(problem.log_sum, std::vector<float>(6, -HUGE_VALF));
}

TEST(Attention, ScoresBeyondExpDoNotOverflow) {
  // One key scores 300, the other -300: the first one's value alone is left.
  std::vector<float> q{300};
  std::vector<float> k{1, -1};
  std::vector<float> v{7, 9};
  float out = 0;
  float log_sum = 0;
  AttentionArgs args{.q = q.data(), .k = k.data(), .v = v.data(), .out = &out, .log_sum = &log_sum};
  args.q_layout = args.out_layout = args.kv_layout = {2, 1, 1};
  args.batch = args.heads = args.kv_heads = args.q_len = args.head_dim = 1;
  args.kv_len = 2;
  run_on_cpu(args);
  EXPECT_EQ(out, 7);
  EXPECT_EQ(log_sum, 300);
}

// 5 queries, 17 keys, causal: rows see 13, 14, 15, 16, 17 keys, 75 pairs. 7 queries, 4 keys: 0, 0, 0, 1, 2, 3, 4.
TEST(AttentionWork, CountsWhatIsNotMasked) {
  AttentionProblem problem(attention_shape(2, 6, 2, 5, 17, 20));
  AttentionArgs& args = problem.args;
  EXPECT_EQ(work_of(args).flops, 4.0 * 2 * 6 * 20 * 5 * 17);
  args.causal = 1;
  const OpWork work = work_of(args);
  EXPECT_EQ(work.flops, 4.0 * 2 * 6 * 20 * 75);
  EXPECT_EQ(work_of(AttentionGradArgs{.forward = args}).flops, 10.0 * 2 * 6 * 20 * 75);
  ASSERT_EQ(work.arrays.size(), 5U);
  EXPECT_EQ(work.arrays[0].bytes, 4 * (5 * 125 + 4 * 125 + 5 * 20 + 20));
  EXPECT_EQ(work.arrays[0].bytes_used, 4 * 2 * 5 * 6 * 20);
  EXPECT_EQ(work.arrays[1].bytes, 4 * (17 * 80 + 16 * 80 + 20 + 20));
  EXPECT_EQ(work.arrays[1].bytes_used, 4 * 2 * 17 * 2 * 20);
  EXPECT_EQ(work.arrays[1].pitch_bytes, 4 * 80);  // keys beside values
  EXPECT_EQ(work.arrays[1].row_bytes, 4 * 40);
  EXPECT_EQ(work.arrays[3].pitch_bytes, 0);  // heads before rows: nothing between
  EXPECT_EQ(work.arrays[4].bytes, 4 * 2 * 6 * 5);
  args.q_len = 7;
  args.kv_len = 4;
  EXPECT_EQ(work_of(args).flops, 4.0 * 2 * 6 * 20 * 10);
}

}  // namespace
}  // namespace aaco
