// SPDX-License-Identifier: MIT
// Times of packets on the trace's clock. Clocks are tied together by snapshots; the last one read counts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "ingest/bytes/decimal.h"
#include "ingest/perfetto/sequence.h"

namespace aaco::perfetto {

class Clocks {
 public:
  static constexpr uint64_t kBootTime = 6;

  // A ClockSnapshot message of a sequence.
  void take_snapshot(std::string_view message, Sequence& sequence);

  // No number where nothing ties the clock to the trace's.
  Nanoseconds time_of(uint64_t timestamp, std::optional<uint64_t> clock, Sequence& sequence) const;

 private:
  struct Reading {
    uint64_t clock = 0;
    uint64_t timestamp = 0;
    uint64_t ns_per_unit = 1;
    bool incremental = false;
  };

  static bool of_sequence(uint64_t clock) { return clock >= 64 && clock < 128; }
  static Reading reading_of(std::string_view message);

  uint64_t trace_clock_ = kBootTime;
  std::map<uint64_t, int64_t> to_trace_ns_;
};

}  // namespace aaco::perfetto
