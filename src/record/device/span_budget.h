// SPDX-License-Identifier: MIT
// When a collector records and when it pauses, so that the time it takes is at most a given share of all time since its
// start.
#pragma once

#include <cstdint>

namespace aaco {

class SpanBudget {
 public:
  static constexpr int64_t kLeastSpanNs = 500'000'000;

  enum class Turn : uint8_t { kGoOn, kPause, kResume };

  // `ppm`: the share; 0: no limit.
  SpanBudget(uint64_t ppm, int64_t start_ns) : ppm_(ppm), start_ns_(start_ns), span_start_ns_(start_ns) {}

  // `cost_ns`: of all since the start. Does what it says count as done.
  Turn look(int64_t now_ns, uint64_t cost_ns) {
    if (ppm_ == 0) {
      return Turn::kGoOn;
    }
    if (!is_paused_) {
      // Spans keep their length: one that used up what earlier pauses saved would be followed by a longer pause, and so
      // on.
      const bool fits =
          cost_ns <= allowed(now_ns) && cost_ns - cost_before_ns_ <= allowed(now_ns) - allowed(span_start_ns_);
      if (now_ns - span_start_ns_ < kLeastSpanNs || fits) {
        return Turn::kGoOn;
      }
      is_paused_ = true;
      last_span_cost_ns_ = cost_ns - cost_before_ns_;
      cost_before_ns_ = cost_ns;
      return Turn::kPause;
    }
    // The next span will take what the last one took.
    if (cost_ns + last_span_cost_ns_ > allowed(now_ns + kLeastSpanNs)) {
      return Turn::kGoOn;
    }
    is_paused_ = false;
    span_start_ns_ = now_ns;
    cost_before_ns_ = cost_ns;
    return Turn::kResume;
  }
  // Where something else than the budget kept it from recording.
  void begin_span(int64_t now_ns, uint64_t cost_ns) {
    is_paused_ = false;
    span_start_ns_ = now_ns;
    cost_before_ns_ = cost_ns;
  }
  bool is_paused() const { return is_paused_; }
  int64_t span_start_ns() const { return span_start_ns_; }

 private:
  uint64_t allowed(int64_t now_ns) const {
    return static_cast<uint64_t>(static_cast<double>(now_ns - start_ns_) * static_cast<double>(ppm_) * 1e-6);
  }

  uint64_t ppm_;
  int64_t start_ns_;
  int64_t span_start_ns_;
  uint64_t cost_before_ns_ = 0;
  uint64_t last_span_cost_ns_ = 0;
  bool is_paused_ = false;
};

}  // namespace aaco
