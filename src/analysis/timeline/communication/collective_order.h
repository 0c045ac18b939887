// SPDX-License-Identifier: MIT
// Which collectives of two ranks are the same, told by their order alone. One rank's recording may begin or end some
// collectives later than the other's: of all shifts of one order against the other, those fit in which every pair has
// the same name and size, and in which some offset between the two clocks lets each collective end on no rank before
// both have begun it.
#pragma once

#include <cstdint>
#include <span>

#include "base/text/enum_words.h"
#include "record/intervals.h"

namespace aaco {

struct OrderedCollective {
  uint32_t what = 0;   // equal where name, size and type of element are
  bool bounds = true;  // none of its ranks can end before all have begun
  Span span;
  int64_t step = kNoStep;  // number of its training step
  static constexpr int64_t kNoStep = INT64_MIN;
};

// What is known of the place of one rank's collectives in the order of another's.
enum class MatchBasis : uint8_t {
  kSequence,      // their recorded numbers in the process group agree
  kOrder,         // one shift fits, or of several one in the steps' numbers and the clocks too
  kUndetermined,  // several shifts fit, or too little does to tell
  kNone,          // no shift fits, or the numbers contradict the sizes
};
template <>
inline constexpr EnumWords<MatchBasis, 4> kWordsOf<MatchBasis>{{"sequence", "order", "undetermined", "none"}};

struct OrderShift {
  MatchBasis basis = MatchBasis::kNone;
  int64_t shift = 0;  // place i of `b` is place i + shift of `a`
};

// In linear time. Both by start.
OrderShift find_order_shift(std::span<const OrderedCollective> a, std::span<const OrderedCollective> b);

}  // namespace aaco
