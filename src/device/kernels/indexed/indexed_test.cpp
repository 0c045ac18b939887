// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "device/kernels/test_values.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using Ints = std::vector<int32_t>;
using Floats = std::vector<float>;

TEST(Gather, CopiesRowsAndReadsZerosOutside) {
  const Ints table{1, 2, 3, 4, 5, 6};
  const Ints ids{2, -1, 0, 3, 2};
  Ints out(10, 99);
  const GatherArgs args{.table = table.data(),
                        .ids = ids.data(),
                        .out = out.data(),
                        .count = 5,
                        .cols = 2,
                        .table_rows = 3,
                        .dtype = Dtype::kI32};
  run_on_cpu(args);
  EXPECT_EQ(out, (Ints{5, 6, 0, 0, 1, 2, 0, 0, 5, 6}));
  const OpWork work = work_of(args);
  EXPECT_EQ(work.flops, 0);
  EXPECT_EQ(work.arrays[0].bytes, 24);
  EXPECT_EQ(work.arrays[2].bytes, 40);
}

TEST(GatherMean, IsTheMeanOfItsRowsWithZerosOutside) {
  const std::vector<float> table{1, 10, 2, 20, 4, 40};
  const std::vector<int32_t> ids{0, 2, 1, 1, 2, 7};
  std::vector<float> out(6);
  run_on_cpu(GatherMeanArgs{table.data(), ids.data(), out.data(), 3, 2, 3, 2});
  EXPECT_EQ(out, (Floats{2.5F, 25, 2, 20, 2, 20}));
}

TEST(ScatterAdd, AddsRowsAndWritesNothingOutside) {
  TypedArray in(Dtype::kBf16, {1, 2, 3, 4, 5, 6, 7, 8});
  const Ints ids{1, 3, -1, 1};
  Floats out{100, 200, 300, 400, 500, 600};
  const ScatterAddArgs args{.in = in.data(),
                            .ids = ids.data(),
                            .out = out.data(),
                            .count = 4,
                            .cols = 2,
                            .out_rows = 3,
                            .in_dtype = Dtype::kBf16};
  run_on_cpu(args);
  EXPECT_EQ(out, (Floats{100, 200, 308, 410, 500, 600}));
  const OpWork work = work_of(args);
  EXPECT_FALSE(work.order_free);
  EXPECT_EQ(work.flops, 8);
  EXPECT_EQ(work.arrays[2].access, Access::kReadWrite);
}

struct RouteResult {
  Ints counts, offsets, token_of, place_of;
};

RouteResult route(const Ints& experts_of, int32_t tokens, int32_t choices, int32_t experts, int32_t capacity) {
  const int32_t places = capacity > 0 ? experts * capacity : tokens * choices;
  RouteResult to{Ints(experts, 99), Ints(experts + 1, 99), Ints(places, 99), Ints(size_t{1} * tokens * choices, 99)};
  run_on_cpu(RouteArgs{experts_of.data(), to.counts.data(), to.offsets.data(), to.token_of.data(), to.place_of.data(),
                       tokens, choices, experts, capacity});
  return to;
}

TEST(Route, SortsStablyByExpert) {
  const RouteResult to = route({2, 0, 0, 2, 2, 1}, 3, 2, 4, 0);
  EXPECT_EQ(to.counts, (Ints{2, 1, 3, 0}));
  EXPECT_EQ(to.offsets, (Ints{0, 2, 3, 6, 6}));
  EXPECT_EQ(to.token_of, (Ints{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(to.place_of, (Ints{3, 0, 1, 4, 5, 2}));
}

TEST(Route, AnExpertTakesItsCapacity) {
  const RouteResult to = route({2, 0, 0, 2, 2, 1}, 3, 2, 4, 2);
  EXPECT_EQ(to.counts, (Ints{2, 1, 2, 0}));
  EXPECT_EQ(to.offsets, (Ints{0, 2, 4, 6, 8}));
  EXPECT_EQ(to.token_of, (Ints{0, 1, 2, -1, 0, 1, -1, -1}));
  EXPECT_EQ(to.place_of, (Ints{4, 0, 1, 5, -1, 2}));
}

TEST(Route, AnExpertOutOfRangeTakesNoPlace) {
  const RouteResult to = route({1, -1, 2, 0}, 4, 1, 2, 0);
  EXPECT_EQ(to.counts, (Ints{1, 1}));
  EXPECT_EQ(to.offsets, (Ints{0, 1, 2}));
  EXPECT_EQ(to.token_of, (Ints{3, 0, -1, -1}));
  EXPECT_EQ(to.place_of, (Ints{1, -1, -1, 0}));
}

TEST(Route, OfNoTokens) {
  const RouteResult to = route({}, 0, 2, 2, 0);
  EXPECT_EQ(to.counts, (Ints{0, 0}));
  EXPECT_EQ(to.offsets, (Ints{0, 0, 0}));
}

// Tokens sent to their places and combined again, with weights that sum to 1, are themselves.
TEST(Combine, UndoesRoute) {
  constexpr int32_t kTokens = 50;
  constexpr int64_t kCols = 3;
  Ints experts_of(size_t{kTokens} * 2);
  for (int32_t i = 0; i < kTokens * 2; ++i) {
    experts_of[i] = i * 7 % 5;
  }
  const RouteResult to = route(experts_of, kTokens, 2, 5, 0);
  const Floats tokens = random_values(kTokens * kCols, 1);
  Floats places(int64_t{kTokens} * 2 * kCols);
  run_on_cpu(GatherArgs{tokens.data(), to.token_of.data(), places.data(), int64_t{kTokens} * 2, kCols, kTokens});
  Floats weights(size_t{kTokens} * 2);
  for (size_t i = 0; i < kTokens; ++i) {
    weights[2 * i] = 0.25F;
    weights[2 * i + 1] = 0.75F;
  }
  Floats out(tokens.size());
  const CombineArgs args{.in = places.data(),
                         .place_of = to.place_of.data(),
                         .weights = weights.data(),
                         .out = out.data(),
                         .tokens = kTokens,
                         .cols = kCols,
                         .places = int64_t{kTokens} * 2,
                         .choices = 2};
  run_on_cpu(args);
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_NEAR(out[i], tokens[i], 1e-6) << i;
  }
  EXPECT_EQ(work_of(args).flops, int64_t{kTokens} * 4 * kCols);
}

TEST(Combine, LeavesOutPairsWithoutAPlace) {
  const Floats in{1, 2, 3};
  const Ints place_of{-1, 2, 3, 0, -1, -1};
  const Floats weights{9, 2, 9, 4, 9, 9};
  Floats out(3, 99);
  run_on_cpu(CombineArgs{in.data(), place_of.data(), weights.data(), out.data(), 3, 1, 3, 2});
  EXPECT_EQ(out, (Floats{6, 4, 0}));
}

TEST(Accept, TakesTheDraftUpToTheFirstDifference) {
  const Ints draft{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3};
  const Ints chosen{1, 2, 3, 4, 9, 2, 3, 4, 1, 9, 3, 4, 1, 2, 9, 4};
  Ints accepted(4, 99);
  Ints next(4, 99);
  int32_t total = 1000;
  AcceptArgs args{.draft = draft.data(),
                  .chosen = chosen.data(),
                  .accepted = accepted.data(),
                  .next = next.data(),
                  .total = &total,
                  .batch = 4,
                  .length = 3};
  run_on_cpu(args);
  EXPECT_EQ(accepted, (Ints{3, 0, 1, 2}));
  EXPECT_EQ(next, (Ints{4, 9, 9, 9}));
  EXPECT_EQ(total, 1000 + 4 + 1 + 2 + 3);
  EXPECT_EQ(work_of(args).arrays.size(), 5U);
  args.total = nullptr;
  args.length = 0;  // chosen has one column
  run_on_cpu(args);
  EXPECT_EQ(accepted, (Ints{0, 0, 0, 0}));
  EXPECT_EQ(next, (Ints{1, 2, 3, 4}));
}

}  // namespace
}  // namespace aaco
