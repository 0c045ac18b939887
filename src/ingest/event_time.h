// SPDX-License-Identifier: MIT
// Times as an event table holds them, or the loss that says why there is none: the same in every format.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include "ingest/bytes/decimal.h"
#include "record/events/loss_table.h"

namespace aaco {

// 73 years: the length of any window, and the difference of any two times, then fits 64 bits.
inline constexpr int64_t kFarthestNs = int64_t{1} << 61;

// `where` says what was read, and where.
template <std::invocable Where>
std::optional<int64_t> time_or_loss(const Nanoseconds& time, LossTable& losses, const Where& where) {
  if (time.state == DecimalState::kNoNumber) {
    losses.add(Loss::kNoTime, where);
    return std::nullopt;
  }
  if (time.state == DecimalState::kOutOfRange || time.value > kFarthestNs || time.value < -kFarthestNs) {
    losses.add(Loss::kTimeRange, where);
    return std::nullopt;
  }
  if (time.state == DecimalState::kCut) {
    losses.add(Loss::kSubNanosecond, where);
  }
  return time.value;
}

// A length from `start_ns` that ends within the range. A negative one counts as 0.
template <std::invocable Where>
std::optional<int64_t> duration_or_loss(int64_t start_ns, int64_t duration_ns, LossTable& losses, const Where& where) {
  if (duration_ns < 0) {
    losses.add(Loss::kNegativeDuration, where);
    return 0;
  }
  if (duration_ns > kFarthestNs - start_ns) {
    losses.add(Loss::kTimeRange, where);
    return std::nullopt;
  }
  return duration_ns;
}

}  // namespace aaco
