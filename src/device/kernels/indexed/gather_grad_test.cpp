// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <random>

#include "device/kernels/test_values.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using Ints = std::vector<int32_t>;
using Floats = std::vector<float>;

TEST(GatherGrad, AddsUpTheRowsOfEachIndexAndZerosTheRest) {
  TypedArray in(Dtype::kBf16, {1, 2, 3, 4, 5, 6, 7, 8});
  const Ints ids{1, 3, -1, 1};
  Floats out{100, 200, 300, 400, 500, 600};
  GatherGradArgs args{.in = in.data(),
                      .ids = ids.data(),
                      .out = out.data(),
                      .count = 4,
                      .cols = 2,
                      .out_rows = 3,
                      .in_dtype = Dtype::kBf16};
  run_on_cpu(args);
  EXPECT_EQ(out, (Floats{0, 0, 8, 10, 0, 0}));
  args.accumulate = 1;
  run_on_cpu(args);
  EXPECT_EQ(out, (Floats{0, 0, 16, 20, 0, 0}));
}

// 2^24 + 1 is no fp32: only in this order are all three there.
// Pools of two: token 0 has rows 0 and 2, token 1 row 2 twice.
TEST(GatherGrad, OfAMeanSharesEachGradientOut) {
  const std::vector<float> in{8, 80, 2, 20};
  const std::vector<int32_t> ids{0, 2, 2, 2};
  std::vector<float> out(6, -1);
  GatherGradArgs args{in.data(), ids.data(), out.data(), 4, 2, 3};
  args.pool = 2;
  run_on_cpu(args);
  EXPECT_EQ(out, (Floats{4, 40, 0, 0, 6, 60}));
}

TEST(GatherGrad, KeepsTheOrder) {
  const Floats in{1, 1, 0x1p24F, 0x1p24F, 1, 1};
  const Ints ids{0, 0, 0, 1, 1, 1};
  Floats out(2);
  run_on_cpu(
      GatherGradArgs{.in = in.data(), .ids = ids.data(), .out = out.data(), .count = 6, .cols = 1, .out_rows = 2});
  EXPECT_EQ(out, (Floats{0x1p24F + 2, 0x1p24F}));
}

TEST(GatherGrad, IsScatterAddOnTheCpu) {
  std::mt19937 engine(4);
  Ints ids(500);
  for (int32_t& id : ids) {
    id = static_cast<int32_t>(engine() % 24) - 2;
  }
  const Floats in = random_values(500 * 9, 5);
  Floats gathered = random_values(20 * 9, 6);
  Floats scattered = gathered;
  run_on_cpu(GatherGradArgs{.in = in.data(),
                            .ids = ids.data(),
                            .out = gathered.data(),
                            .count = 500,
                            .cols = 9,
                            .out_rows = 20,
                            .accumulate = 1});
  run_on_cpu(ScatterAddArgs{
      .in = in.data(), .ids = ids.data(), .out = scattered.data(), .count = 500, .cols = 9, .out_rows = 20});
  EXPECT_EQ(gathered, scattered);
}

TEST(GatherGradWork, HasAFixedOrder) {
  float data[1] = {};
  const Ints ids(4);
  GatherGradArgs args{.in = data, .ids = ids.data(), .out = data, .count = 4, .cols = 2, .out_rows = 30};
  EXPECT_TRUE(work_of(args).order_free);
  EXPECT_EQ(work_of(args).flops, 8);
  EXPECT_EQ(work_of(args).arrays[2].access, Access::kWrite);
  EXPECT_EQ(work_of(args).arrays[2].bytes_used, 240);
  args.accumulate = 1;
  EXPECT_EQ(work_of(args).arrays[2].access, Access::kReadWrite);
  EXPECT_EQ(work_of(args).arrays[2].bytes, 240);
  EXPECT_EQ(work_of(args).arrays[2].bytes_used, 32);
  args.pool = 2;
  EXPECT_EQ(work_of(args).flops, 16);
}

}  // namespace
}  // namespace aaco
