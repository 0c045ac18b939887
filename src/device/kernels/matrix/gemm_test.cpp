// SPDX-License-Identifier: MIT
#include <cmath>
#include <gtest/gtest.h>

#include "device/kernels/test_values.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

struct Case {
  Dtype in;
  Dtype out;
  int form;  // bit 0: a transposed, 1: b transposed, 2: beta
  Epilogue epilogue;
};

float activated(double x, Epilogue epilogue) {
  return static_cast<float>(epilogue == Epilogue::kBiasRelu   ? std::max(x, 0.0)
                            : epilogue == Epilogue::kBiasGelu ? 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)))
                                                              : x);
}

// Half a unit in the last place of the result's type, as a share of it, and the rounding of fp32 sums.
float allowed(Dtype out, float value) {
  const float unit = out == Dtype::kF16 ? 0x1p-11F : out == Dtype::kBf16 ? 0x1p-8F : 0;
  return 1e-5F + 1.01F * unit * std::abs(value);
}

void check(const Case& shape) {
  constexpr int64_t kM = 5;
  constexpr int64_t kN = 7;
  constexpr int64_t kK = 11;
  constexpr int64_t kBatch = 3;
  const bool ta = (shape.form & 1) != 0;
  const bool tb = (shape.form & 2) != 0;
  const bool adds = (shape.form & 4) != 0;
  TypedArray a = random_array(shape.in, 1000, 1);
  TypedArray b = random_array(shape.in, 1000, 2);
  TypedArray c = adds ? random_array(shape.out, 400, 3) : poisoned(shape.out, 400);
  TypedArray bias = random_array(shape.out, kN, 4);
  const std::vector<float> before = c.values();
  GemmArgs args{.a = a.data(), .b = b.data(), .c = c.data(), .bias = bias.data(), .m = kM, .n = kN, .k = kK};
  args.lda = (ta ? kM : kK) + 3;
  args.ldb = (tb ? kK : kN) + 2;
  args.ldc = kN + 1;
  args.batch = kBatch;
  args.stride_a = 200;
  args.stride_b = 0;  // one matrix for all
  args.stride_c = 100;
  args.alpha = 0.5F;
  args.beta = adds ? 2.0F : 0;
  args.transpose_a = ta ? 1 : 0;
  args.transpose_b = tb ? 1 : 0;
  args.in_dtype = shape.in;
  args.out_dtype = shape.out;
  args.epilogue = shape.epilogue;
  run_on_cpu(args);

  std::vector<float> expected = before;
  for (int64_t i = 0; i < kBatch * kM * kN; ++i) {
    const int64_t batch = i / (kM * kN);
    const int64_t row = i / kN % kM;
    const int64_t col = i % kN;
    double sum = 0;
    for (int64_t k = 0; k < kK; ++k) {
      sum += double{a.values()[batch * 200 + (ta ? k * args.lda + row : row * args.lda + k)]} *
             b.values()[tb ? col * args.ldb + k : k * args.ldb + col];
    }
    const int64_t place = batch * 100 + row * args.ldc + col;
    const double shift = shape.epilogue == Epilogue::kNone ? 0 : double{bias.values()[col]};
    expected[place] = activated(0.5 * sum + (adds ? 2.0 * before[place] : 0) + shift, shape.epilogue);
  }
  const std::vector<float> got = c.values();
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(got[i])) << "wrote outside of c at " << i;
    } else {
      ASSERT_NEAR(got[i], expected[i], allowed(shape.out, expected[i])) << "at " << i;
    }
  }
}

TEST(Gemm, IsTheDefinitionInEveryForm) {
  const std::pair<Dtype, Dtype> types[] = {{Dtype::kF32, Dtype::kF32},   {Dtype::kF16, Dtype::kF16},
                                           {Dtype::kBf16, Dtype::kBf16}, {Dtype::kBf16, Dtype::kF32},
                                           {Dtype::kF16, Dtype::kF32},   {Dtype::kF32, Dtype::kBf16}};
  for (const auto& [in, out] : types) {
    for (int form = 0; form < 8; ++form) {
      for (const Epilogue epilogue : {Epilogue::kNone, Epilogue::kBias, Epilogue::kBiasRelu, Epilogue::kBiasGelu}) {
        SCOPED_TRACE(testing::Message() << name_of(in) << " to " << name_of(out) << ", form " << form << ", epilogue "
                                        << static_cast<int>(epilogue));
        check({in, out, form, epilogue});
      }
    }
  }
}

// 2 m n k per matrix; a transposed a is stored [k, m].
TEST(GemmWork, CountsProductsAndExtents) {
  float memory[1] = {};
  GemmArgs args{.a = memory, .b = memory, .c = memory, .m = 4, .n = 6, .k = 8, .lda = 5, .ldb = 6, .ldc = 10};
  args.batch = 3;
  args.stride_a = 50;
  args.stride_c = 100;
  args.transpose_a = 1;
  OpWork work = work_of(args);
  EXPECT_EQ(work.flops, 3 * 2 * 4 * 6 * 8);
  EXPECT_TRUE(work.order_free);
  ASSERT_EQ(work.arrays.size(), 3U);
  EXPECT_EQ(work.arrays[0].bytes, 4 * (2 * 50 + 7 * 5 + 4));
  EXPECT_EQ(work.arrays[0].bytes_used, 4 * 3 * 8 * 4);
  EXPECT_EQ(work.arrays[1].bytes, 4 * 8 * 6);  // stride 0
  EXPECT_EQ(work.arrays[1].bytes_used, 4 * 8 * 6);
  EXPECT_EQ(work.arrays[2].bytes, 4 * (2 * 100 + 3 * 10 + 6));
  EXPECT_EQ(work.arrays[2].pitch_bytes, 0);  // the batches' rows are not evenly apart
  EXPECT_EQ(work.arrays[2].access, Access::kWrite);
  EXPECT_EQ(work.arrays[2].pointer_offset, offsetof(GemmArgs, c));

  args.stride_c = 40;
  work = work_of(args);
  EXPECT_EQ(work.arrays[2].pitch_bytes, 4 * 10);
  EXPECT_EQ(work.arrays[2].row_bytes, 4 * 6);

  args.beta = 1;  // a multiply-add per element; the bias one more
  args.bias = memory;
  args.epilogue = Epilogue::kBias;
  work = work_of(args);
  EXPECT_EQ(work.flops, 3 * 4 * 6 * (2 * 8 + 2 + 1));
  EXPECT_EQ(work.arrays[2].access, Access::kReadWrite);
  ASSERT_EQ(work.arrays.size(), 4U);
  EXPECT_EQ(work.arrays[3].bytes, 4 * 6);
}

}  // namespace
}  // namespace aaco
