// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/kernels/test_values.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using Floats = std::vector<float>;

// Two sequences of two rows, of two key heads of one pair each; the digits are sequence, row, head, element.
const Floats kKeys{1111, 1112, 1121, 1122, 1211, 1212, 1221, 1222,  //
                   2111, 2112, 2121, 2122, 2211, 2212, 2221, 2222};
constexpr AttentionLayout kSideBySide{.batch = 8, .row = 4, .head = 2};

TEST(SplitHeads, PutsHeadsApartAndRepeatsThem) {
  Floats out(32, 99);
  run_on_cpu(SplitHeadsArgs{.in = kKeys.data(),
                            .out = out.data(),
                            .layout = kSideBySide,
                            .batch = 2,
                            .length = 2,
                            .heads = 4,
                            .head_dim = 2,
                            .repeat = 2});
  EXPECT_EQ(out,
            (Floats{1111, 1112, 1211, 1212, 1111, 1112, 1211, 1212, 1121, 1122, 1221, 1222, 1121, 1122, 1221, 1222,
                    2111, 2112, 2211, 2212, 2111, 2112, 2211, 2212, 2121, 2122, 2221, 2222, 2121, 2122, 2221, 2222}));
}

TEST(MergeHeads, UndoesSplitHeads) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    const TypedArray in = random_array(dtype, 16, 3);
    TypedArray apart = poisoned(dtype, 16);
    TypedArray out = poisoned(dtype, 16);
    TypedArray from = in;
    run_on_cpu(SplitHeadsArgs{.in = from.data(),
                              .out = apart.data(),
                              .layout = kSideBySide,
                              .batch = 2,
                              .length = 2,
                              .heads = 2,
                              .head_dim = 2,
                              .dtype = dtype});
    EXPECT_NE(apart.values(), in.values());
    run_on_cpu(MergeHeadsArgs{.in = apart.data(),
                              .out = out.data(),
                              .layout = kSideBySide,
                              .batch = 2,
                              .length = 2,
                              .heads = 2,
                              .head_dim = 2,
                              .dtype = dtype});
    EXPECT_EQ(out.values(), in.values());
  }
}

// One row, three heads that one key head stands for, in fp16: 2048 + 1 + 1 would stay 2048 if each sum were rounded.
TEST(MergeHeads, AddsUpWhatSharesAHeadInFp32) {
  TypedArray in(Dtype::kF16, {2048, 0.5F, 1, 0.25F, 1, -4});
  TypedArray out(Dtype::kF16, {99, 99, 77});
  run_on_cpu(MergeHeadsArgs{.in = in.data(),
                            .out = out.data(),
                            .layout = {.batch = 3, .row = 3, .head = 2},
                            .batch = 1,
                            .length = 1,
                            .heads = 3,
                            .head_dim = 2,
                            .repeat = 3,
                            .dtype = Dtype::kF16});
  EXPECT_EQ(out.values(), (Floats{2050, -3.25F, 77}));
}

TEST(HeadsWork, CountsWhatIsThere) {
  float data[1] = {};
  const OpWork split = work_of(SplitHeadsArgs{.in = data,
                                              .out = data,
                                              .layout = {.batch = 60, .row = 20, .head = 4},
                                              .batch = 2,
                                              .length = 3,
                                              .heads = 4,
                                              .head_dim = 4,
                                              .repeat = 2});
  EXPECT_EQ(split.flops, 0);
  EXPECT_EQ(split.arrays[0].bytes, (60 + 2 * 20 + 8) * 4);
  EXPECT_EQ(split.arrays[0].bytes_used, 2 * 3 * 8 * 4);
  EXPECT_EQ(split.arrays[0].pitch_bytes, 80);
  EXPECT_EQ(split.arrays[0].row_bytes, 32);
  EXPECT_EQ(split.arrays[1].bytes, 2 * 3 * 16 * 4);
  const OpWork merge = work_of(MergeHeadsArgs{.in = data,
                                              .out = data,
                                              .layout = {.batch = 60, .row = 20, .head = 4},
                                              .batch = 2,
                                              .length = 3,
                                              .heads = 4,
                                              .head_dim = 4,
                                              .repeat = 2});
  EXPECT_EQ(merge.flops, 2 * 3 * 8);  // one addition for each of the results
  EXPECT_EQ(merge.arrays[0].bytes, split.arrays[1].bytes);
  EXPECT_EQ(merge.arrays[1].access, Access::kWrite);
  EXPECT_TRUE(merge.order_free);
}

}  // namespace
}  // namespace aaco
