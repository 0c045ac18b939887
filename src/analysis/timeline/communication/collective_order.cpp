// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/collective_order.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace aaco {

namespace {

// Up to here chance lets a few more fit, so that any other shift that fits leaves the order open.
constexpr int64_t kFew = 8;
// Pairs that may be compared for each collective: periodic orders have as many shifts as collectives.
constexpr int64_t kPairsOfOne = 64;

struct Candidate {
  int64_t shift = 0;
  int64_t pairs = 0;
};

// For each place of `text` how many from there on are as `pattern` begins (the Z algorithm).
std::vector<int64_t> equal_from(std::span<const OrderedCollective> pattern, std::span<const OrderedCollective> text) {
  const auto size = static_cast<int64_t>(pattern.size());
  const auto length = size + static_cast<int64_t>(text.size());
  const auto at = [&](int64_t i) {
    return (i < size ? pattern[static_cast<size_t>(i)] : text[static_cast<size_t>(i - size)]).what;
  };
  std::vector<int64_t> equal(static_cast<size_t>(length));
  for (int64_t i = 1, left = 0, right = 0; i < length; ++i) {
    int64_t& same = equal[static_cast<size_t>(i)];
    same = i < right ? std::min(right - i, equal[static_cast<size_t>(i - left)]) : 0;
    while (i + same < length && at(same) == at(i + same)) {
      ++same;
    }
    if (i + same > right) {
      left = i;
      right = i + same;
    }
  }
  equal.erase(equal.begin(), equal.begin() + size);
  return equal;
}

class ShiftSearch {
 public:
  ShiftSearch(std::span<const OrderedCollective> a, std::span<const OrderedCollective> b)
      : a_(a), b_(b), pairs_left_(1'000 + kPairsOfOne * (size_of(a) + size_of(b))) {}

  OrderShift find() {
    const std::vector<Candidate> candidates = of_equal_names();
    std::optional<Candidate> best;
    for (const Candidate& candidate : candidates) {
      if (best && best->pairs >= kFew && 2 * candidate.pairs < best->pairs) {
        break;
      }
      if (!is_possible(candidate)) {
        continue;
      }
      if (best || pairs_left_ < 0) {
        return find_in_step(candidates);
      }
      best = candidate;
    }
    if (!best) {  // names and sizes leave one shift, whatever the clocks do
      return candidates.size() == 1 ? OrderShift{MatchBasis::kOrder, candidates.front().shift} : OrderShift{};
    }
    // A single pair moves no clock: the recordings may lie anywhere in the job.
    const bool enough = best->pairs > 1 || meet_in_time(*best, 0);
    return 2 * best->pairs < candidates.front().pairs || !enough ? OrderShift{MatchBasis::kUndetermined, 0}
                                                                 : OrderShift{MatchBasis::kOrder, best->shift};
  }

 private:
  static int64_t size_of(std::span<const OrderedCollective> all) { return static_cast<int64_t>(all.size()); }
  const OrderedCollective& in_a(const Candidate& candidate, int64_t i) const {
    return a_[static_cast<size_t>(std::max(candidate.shift, int64_t{0}) + i)];
  }
  const OrderedCollective& in_b(const Candidate& candidate, int64_t i) const {
    return b_[static_cast<size_t>(std::max(-candidate.shift, int64_t{0}) + i)];
  }

  // Most pairs first.
  std::vector<Candidate> of_equal_names() const {
    std::vector<Candidate> all;
    const std::vector<int64_t> later = equal_from(b_, a_);  // b's first is one of a's
    const std::vector<int64_t> earlier = equal_from(a_, b_);
    for (int64_t i = 0; i < size_of(a_); ++i) {
      if (const int64_t pairs = std::min(size_of(a_) - i, size_of(b_)); later[static_cast<size_t>(i)] >= pairs) {
        all.push_back({i, pairs});
      }
    }
    for (int64_t i = 1; i < size_of(b_); ++i) {
      if (const int64_t pairs = std::min(size_of(b_) - i, size_of(a_)); earlier[static_cast<size_t>(i)] >= pairs) {
        all.push_back({-i, pairs});
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) { return x.pairs > y.pairs; });
    return all;
  }

  // Whether any offset of the clocks satisfies all pairs.
  bool is_possible(const Candidate& candidate) {
    int64_t least_ns = INT64_MIN;
    int64_t most_ns = INT64_MAX;
    for (int64_t i = 0; i < candidate.pairs && least_ns <= most_ns; ++i) {
      if (--pairs_left_ < 0) {
        return true;
      }
      const OrderedCollective& ordered_collective = in_a(candidate, i);
      const OrderedCollective& other = in_b(candidate, i);
      if (ordered_collective.bounds) {
        least_ns = std::max(least_ns, ordered_collective.span.start_ns - other.span.end_ns);
        most_ns = std::min(most_ns, ordered_collective.span.end_ns - other.span.start_ns);
      }
    }
    return least_ns <= most_ns;
  }

  // Of several that fit, the only one whose pairs are each of one step and meet in time: a profiler that was started
  // later numbers its steps otherwise, and then they do not meet.
  OrderShift find_in_step(const std::vector<Candidate>& candidates) {
    OrderShift order_shift{MatchBasis::kUndetermined, 0};
    for (const Candidate& candidate : candidates) {
      bool fits = true;
      for (int64_t i = 0; i < candidate.pairs && fits && --pairs_left_ > 0; ++i) {
        const int64_t step = in_a(candidate, i).step;
        fits = step != OrderedCollective::kNoStep && step == in_b(candidate, i).step && meet_in_time(candidate, i);
      }
      if (pairs_left_ <= 0 || (fits && order_shift.basis == MatchBasis::kOrder)) {
        return {MatchBasis::kUndetermined, 0};
      }
      if (fits) {
        order_shift = {MatchBasis::kOrder, candidate.shift};
      }
    }
    return order_shift;
  }

  bool meet_in_time(const Candidate& candidate, int64_t i) const {
    const Span& span = in_a(candidate, i).span;
    const Span& other = in_b(candidate, i).span;
    return span.start_ns <= other.end_ns && other.start_ns <= span.end_ns;
  }

  std::span<const OrderedCollective> a_;
  std::span<const OrderedCollective> b_;
  int64_t pairs_left_;
};

}  // namespace

OrderShift find_order_shift(std::span<const OrderedCollective> a, std::span<const OrderedCollective> b) {
  return ShiftSearch(a, b).find();
}

}  // namespace aaco
