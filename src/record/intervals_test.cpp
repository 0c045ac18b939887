// SPDX-License-Identifier: MIT
#include "record/intervals.h"

#include <bitset>
#include <gtest/gtest.h>
#include <random>

namespace aaco {
namespace {

constexpr int64_t kInstants = 64;
using Instants = std::bitset<kInstants>;

Instants instants_of(std::span<const Span> spans) {
  Instants set;
  for (const Span& span : spans) {
    for (int64_t t = span.start_ns; t < span.end_ns; ++t) {
      set.set(static_cast<size_t>(t));
    }
  }
  return set;
}

void expect_normal(const SpanSet& set) {
  for (size_t i = 0; i < set.size(); ++i) {
    EXPECT_LT(set[i].start_ns, set[i].end_ns);
    if (i > 0) {
      EXPECT_LT(set[i - 1].end_ns, set[i].start_ns);
    }
  }
}

std::vector<Span> random_spans(std::mt19937_64& random) {
  std::uniform_int_distribution<int64_t> instant(0, kInstants);
  std::vector<Span> spans(random() % 12);
  for (Span& span : spans) {
    span = {instant(random), instant(random)};  // half of them reversed: they hold nothing
  }
  return spans;
}

// Each operation against the same on a set of single instants.
TEST(Intervals, AgreeWithBruteForce) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20'000; ++round) {
    const std::vector<Span> left = random_spans(random);
    const std::vector<Span> right = random_spans(random);
    const SpanSet a = union_of(left);
    const SpanSet b = union_of(right);
    const Instants in_a = instants_of(left);
    const Instants in_b = instants_of(right);
    const std::pair<SpanSet, Instants> results[] = {{a, in_a}, {intersect(a, b), in_a & in_b}};
    for (const auto& [set, expected] : results) {
      expect_normal(set);
      ASSERT_EQ(instants_of(set), expected) << "round " << round;
      ASSERT_EQ(length_ns(set), static_cast<int64_t>(expected.count()));
    }
  }
}

TEST(Intervals, TouchingSpansAreOne) {
  EXPECT_EQ(union_of(std::vector<Span>{{5, 9}, {0, 5}}), (SpanSet{{0, 9}}));
  EXPECT_EQ(length_ns({}), 0);
}

TEST(Intervals, TimesNearTheEndOfTheClockDoNotOverflow) {
  constexpr int64_t kLate = INT64_MAX - 10;
  EXPECT_EQ(length_ns(union_of(std::vector<Span>{{kLate, INT64_MAX}, {kLate + 5, INT64_MAX}})), 10);
}

}  // namespace
}  // namespace aaco
