// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/collective_order.h"

#include <gtest/gtest.h>
#include <string_view>
#include <vector>

namespace aaco {
namespace {

// A letter a collective, 1,000 ns each, that start where `start` says, else every 10,000 ns.
std::vector<OrderedCollective> order(std::string_view what, int64_t first_ns = 0, std::vector<int64_t> starts = {}) {
  std::vector<OrderedCollective> all;
  for (size_t i = 0; i < what.size(); ++i) {
    const int64_t start_ns = starts.empty() ? first_ns + 10'000 * static_cast<int64_t>(i) : first_ns + starts[i];
    all.push_back({static_cast<uint32_t>(what[i]), true, {start_ns, start_ns + 1'000}});
  }
  return all;
}

TEST(CollectiveOrder, NamesAndSizesTellTheShift) {
  const OrderShift later = find_order_shift(order("abcdef"), order("cdefgh", 20'000));
  EXPECT_EQ(later.basis, MatchBasis::kOrder);
  EXPECT_EQ(later.shift, 2);
  const OrderShift earlier = find_order_shift(order("cdefgh"), order("abcdef"));
  EXPECT_EQ(earlier.basis, MatchBasis::kOrder);
  EXPECT_EQ(earlier.shift, -2);
  EXPECT_EQ(find_order_shift(order("abcdef"), order("cde")).shift, 2);
}

TEST(CollectiveOrder, PeriodicOrdersTellNothing) {
  EXPECT_EQ(find_order_shift(order("aaaaa"), order("aaaaa")).basis, MatchBasis::kUndetermined);
  EXPECT_EQ(find_order_shift(order("ababab"), order("ababab")).basis, MatchBasis::kUndetermined);
  EXPECT_EQ(find_order_shift(order("abcabcabcabc"), order("bcabcabcabca")).basis, MatchBasis::kUndetermined);
  EXPECT_EQ(find_order_shift(order("abca"), order("abca")).basis,
            MatchBasis::kUndetermined);  // or the last is the first
}

// Steps of different lengths: no offset of the clocks lets another shift be.
TEST(CollectiveOrder, TimesTellWhatNamesDoNot) {
  const std::vector<int64_t> starts = {0, 10'000, 25'000, 33'000, 53'000, 59'000, 76'000, 85'000, 97'000};
  const OrderShift same = find_order_shift(order("aaaaaaaaa", 0, starts), order("aaaaaaaaa", 500'000, starts));
  EXPECT_EQ(same.basis, MatchBasis::kOrder);
  EXPECT_EQ(same.shift, 0);
}

// Numbers of steps and times agree on one of the shifts that fit; without either it stays open.
TEST(CollectiveOrder, StepsTellWhatNamesDoNot) {
  const auto in_steps = [](std::vector<OrderedCollective> all, int64_t first) {
    for (size_t i = 0; i < all.size(); ++i) {
      all[i].step = first + static_cast<int64_t>(i) / 2;
    }
    return all;
  };
  const auto rank_0 = in_steps(order("aaaa"), 7);
  EXPECT_EQ(find_order_shift(rank_0, in_steps(order("aaaa", 500), 7)).basis, MatchBasis::kOrder);
  EXPECT_EQ(find_order_shift(rank_0, in_steps(order("aaaa", 500), 7)).shift, 0);
  EXPECT_EQ(find_order_shift(rank_0, in_steps(order("aaaa", 20'500), 8)).shift, 2);
  EXPECT_EQ(find_order_shift(rank_0, in_steps(order("aaaa", 20'500), 7)).basis, MatchBasis::kUndetermined);
  EXPECT_EQ(find_order_shift(rank_0, order("aaaa", 500)).basis, MatchBasis::kUndetermined);
}

TEST(CollectiveOrder, AMissingOneInTheMiddleFitsNowhere) {
  EXPECT_EQ(find_order_shift(order("abcdefgh"), order("abcefgh")).basis, MatchBasis::kNone);
  const std::vector<int64_t> gap = {0, 10'000, 20'000, 30'000, 50'000, 60'000, 70'000, 80'000};
  EXPECT_NE(find_order_shift(order("aaaaaaaaa"), order("aaaaaaaa", 0, gap)).basis, MatchBasis::kOrder);
}

// The recordings may lie anywhere in the job.
TEST(CollectiveOrder, ASinglePairMustMeetInTime) {
  EXPECT_EQ(find_order_shift(order("a"), order("a", 500)).basis, MatchBasis::kOrder);
  EXPECT_EQ(find_order_shift(order("a"), order("a", 5'000)).basis, MatchBasis::kUndetermined);
  EXPECT_EQ(find_order_shift(order("a"), order("b")).basis, MatchBasis::kNone);
}

// The only shift that names allow is right even where a clock drifts.
TEST(CollectiveOrder, DriftDoesNotHideTheOnlyShift) {
  EXPECT_EQ(find_order_shift(order("abc"), order("abc", 0, {0, 15'000, 30'000})).basis, MatchBasis::kOrder);
}

// Quadratic work would take hours.
TEST(CollectiveOrder, LongPeriodicOrdersAreCheap) {
  const std::string_view text(std::string_view("x"));
  std::vector<OrderedCollective> many;
  for (int64_t i = 0; i < 300'000; ++i) {
    many.push_back({static_cast<uint32_t>(text[0]), false, {i, i + 1}});
  }
  EXPECT_EQ(find_order_shift(many, many).basis, MatchBasis::kUndetermined);
}

}  // namespace
}  // namespace aaco
