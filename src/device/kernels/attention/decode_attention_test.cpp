// SPDX-License-Identifier: MIT
#include <cmath>
#include <gtest/gtest.h>

#include "device/kernels/attention/attention_problem.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

// A cache is appended to row by row; decoding from it is then attention of one row over the same keys and values.
void check(Dtype dtype, Dtype cache_dtype) {
  constexpr int32_t kBatch = 3;
  constexpr int32_t kHeads = 6;
  constexpr int32_t kKvHeads = 2;
  constexpr int32_t kDim = 12;
  constexpr int32_t kCapacity = 10;
  const std::vector<int32_t> lengths{0, 4, kCapacity};
  TypedArray q = random_array(dtype, int64_t{kBatch} * kHeads * kDim, 1);
  TypedArray k_cache = random_array(cache_dtype, int64_t{kBatch} * kKvHeads * kCapacity * kDim, 2);
  TypedArray v_cache = random_array(cache_dtype, int64_t{kBatch} * kKvHeads * kCapacity * kDim, 3);
  TypedArray out = poisoned(dtype, int64_t{kBatch} * kHeads * kDim);
  DecodeAttentionArgs args{.q = q.data(),
                           .k_cache = k_cache.data(),
                           .v_cache = v_cache.data(),
                           .lengths = lengths.data(),
                           .out = out.data()};
  args.batch = kBatch;
  args.heads = kHeads;
  args.kv_heads = kKvHeads;
  args.head_dim = kDim;
  args.capacity = kCapacity;
  args.scale = 0.3F;
  args.dtype = dtype;
  args.cache_dtype = cache_dtype;
  run_on_cpu(args);
  for (int32_t i = 0; i < kBatch * kHeads; ++i) {
    const int32_t batch = i / kHeads;
    const int32_t cache = batch * kKvHeads + i % kHeads / (kHeads / kKvHeads);
    std::vector<double> sums(kDim);
    double total = 0;
    for (int32_t j = 0; j < lengths[batch]; ++j) {
      double score = 0;
      for (int32_t d = 0; d < kDim; ++d) {
        score += double{q.values()[i * kDim + d]} * k_cache.values()[(cache * kCapacity + j) * kDim + d];
      }
      const double weight = std::exp(0.3F * score);
      total += weight;
      for (int32_t d = 0; d < kDim; ++d) {
        sums[d] += weight * v_cache.values()[(cache * kCapacity + j) * kDim + d];
      }
    }
    for (int32_t d = 0; d < kDim; ++d) {
      const double expected = total > 0 ? sums[d] / total : 0;
      const double unit = dtype == Dtype::kF16 ? 0x1p-11 : dtype == Dtype::kBf16 ? 0x1p-8 : 0;
      ASSERT_NEAR(out.values()[i * kDim + d], expected, 1e-6 + 1.01 * unit * std::abs(expected)) << i << ", " << d;
    }
  }
}

TEST(DecodeAttention, IsAttentionOverTheRowsThatAreThere) {
  check(Dtype::kF32, Dtype::kF32);
  check(Dtype::kF32, Dtype::kF16);
  check(Dtype::kBf16, Dtype::kBf16);
}

TEST(DecodeAttentionWork, CountsFullCachesOrTheLengthThatIsKnown) {
  float memory[1] = {};
  DecodeAttentionArgs args{.q = memory, .k_cache = memory, .v_cache = memory, .out = memory, .partial = memory};
  args.batch = 2;
  args.heads = 8;
  args.kv_heads = 2;
  args.head_dim = 16;
  args.capacity = 100;
  args.cache_dtype = Dtype::kBf16;
  EXPECT_EQ(work_of(args).flops, 4.0 * 8 * 16 * 200);
  args.total_length = 30;
  args.splits = 3;
  const OpWork work = work_of(args);
  EXPECT_EQ(work.flops, 4.0 * 8 * 16 * 30);
  EXPECT_EQ(work.arrays[1].bytes, 2 * 2 * 2 * 100 * 16);
  EXPECT_EQ(work.arrays[1].bytes_used, 2 * 30 * 2 * 16);
  EXPECT_EQ(work.arrays.back().bytes, 4 * 2 * 8 * 3 * 18);
  EXPECT_EQ(work.arrays.back().access, Access::kScratch);
}

TEST(AppendCache, WritesBehindWhatIsThereAndNotBeyond) {
  // Two sequences, caches of 3 rows of 2 heads of 1; two new rows each. The second has room for one.
  const std::vector<int32_t> lengths{1, 2};
  // [batch, row, head]: 10 b + 2 row + head, v its negative; heads lie apart, rows side by side.
  std::vector<float> k(8);
  std::vector<float> v(8);
  for (int i = 0; i < 8; ++i) {
    const int batch = i / 4;
    const int row = i % 2;
    const int head = i / 2 % 2;
    k[i] = static_cast<float>(10 * batch + 2 * row + head);
    v[i] = -k[i];
  }
  TypedArray k_cache(Dtype::kF16, std::vector<float>(12, 99));
  TypedArray v_cache(Dtype::kF16, std::vector<float>(12, 99));
  AppendCacheArgs args{.k = k.data(), .v = v.data(), .k_cache = k_cache.data(), .v_cache = v_cache.data()};
  args.lengths = lengths.data();
  args.layout = {.batch = 4, .row = 1, .head = 2};
  args.batch = 2;
  args.rows = 2;
  args.kv_heads = 2;
  args.head_dim = 1;
  args.capacity = 3;
  args.cache_dtype = Dtype::kF16;
  run_on_cpu(args);
  EXPECT_EQ(k_cache.values(), (std::vector<float>{99, 0, 2, 99, 1, 3, 99, 99, 10, 99, 99, 11}));
  EXPECT_EQ(v_cache.values(), (std::vector<float>{99, 0, -2, 99, -1, -3, 99, 99, -10, 99, 99, -11}));
  const OpWork work = work_of(args);
  EXPECT_EQ(work.flops, 0);
  EXPECT_EQ(work.arrays[0].bytes, 4 * 8);
  EXPECT_EQ(work.arrays[2].bytes, 2 * 12);
  EXPECT_EQ(work.arrays[2].bytes_used, 2 * 8);
}

}  // namespace
}  // namespace aaco
