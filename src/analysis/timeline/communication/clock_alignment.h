// SPDX-License-Identifier: MIT
// Whether the clocks of ranks agree, by what no clock can explain away: where every rank needs every other, a
// collective ends on no rank before the last rank has begun it. Each one bounds the offset between two clocks on both
// sides, and the bounds hold however long the ranks wait for each other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/timeline/communication/matched_collectives.h"
#include "base/text/enum_words.h"
#include "record/intervals.h"

namespace aaco {

enum class ClockState : uint8_t {
  kReference,     // the lowest rank's, which the others are compared with
  kAgrees,        // the bounds admit no offset at all: times are taken as they are
  kShifted,       // they do not: times are moved by `offset_ns`
  kInconsistent,  // no offset satisfies all collectives: the clock drifts, or they are not the same collectives
  kUndetermined,  // which of its collectives are the others' is not known: its times are taken as they are
  kUnknown,       // the trace holds no such collective with ranks of known offset
};
template <>
inline constexpr EnumWords<ClockState, 6> kWordsOf<ClockState>{
    {"reference", "agrees", "shifted", "inconsistent", "undetermined", "unknown"}};

struct RankClock {
  int64_t rank = kNoId;
  ClockState state = ClockState::kUnknown;
  // What, added to the rank's times, makes them times of the reference; 0 but of kShifted.
  int64_t offset_ns = 0;
  int64_t error_ns = 0;      // the true offset is at most that far from it; of bounded()
  uint64_t collectives = 0;  // that bound it

  bool bounded() const { return state == ClockState::kAgrees || state == ClockState::kShifted; }
  // Whether its times may be set against those of others.
  bool comparable() const { return state != ClockState::kInconsistent && state != ClockState::kUndetermined; }
};

class ClockAlignment {
 public:
  // Of the ranks in `collectives`, ascending.
  ClockAlignment(const EventTable& events, const std::vector<MatchedCollectives>& collectives);

  const std::vector<RankClock>& clocks() const { return clocks_; }
  // To be added to times of the rank; 0 of one that is not among the clocks.
  int64_t offset_ns(int64_t rank) const;
  const RankClock* find(int64_t rank) const;  // null of such a one

 private:
  std::vector<RankClock> clocks_;
};

}  // namespace aaco
