// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/late_verdict.h"

#include <array>

#include "base/statistics.h"

namespace aaco {

LateVerdict judge_latest(uint64_t last, uint64_t compared, size_t ranks, size_t kinds) {
  if (ranks < 2 || compared == 0) {
    return LateVerdict::kUndetermined;
  }
  const double chance = 1 / static_cast<double>(ranks);
  const double level = kFalseLateRanks * chance / static_cast<double>(kinds < 1 ? 1 : kinds);
  if (binomial_tail(compared, compared, chance) > level) {
    return LateVerdict::kUndetermined;
  }
  return binomial_tail(last, compared, chance) <= level ? LateVerdict::kLate : LateVerdict::kChance;
}

}  // namespace aaco
