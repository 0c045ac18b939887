// SPDX-License-Identifier: MIT
// Interval algebra over session nanoseconds: busy time, gaps, overlap. Intervals are half open, [start, end).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace aaco {

struct Span {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

// A set of instants as disjoint spans in ascending order that neither touch nor are empty. The set operations take and
// give sets of this form, in time linear in their sizes.
using SpanSet = std::vector<Span>;

// Adds to a set under construction; `span` must not start before the last one. An empty one holds no instant.
void append(SpanSet& set, const Span& span);

// Any spans, in any order, overlapping or not, as a set; empty and reversed ones hold no instant.
SpanSet union_of(std::span<const Span> spans);

SpanSet intersect(const SpanSet& a, const SpanSet& b);

// A sum of durations; the largest number where it is beyond 64 bits.
inline int64_t saturating_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

// Total length.
int64_t length_ns(const SpanSet& set);

}  // namespace aaco
