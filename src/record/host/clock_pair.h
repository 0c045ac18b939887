// SPDX-License-Identifier: MIT
// Another clock read between two reads of the session clock: at source_ns of it, the session clock stood at t_ns or up
// to width_ns later.
#pragma once

#include <cstdint>
#include <string>

#include "record/table.h"

namespace aaco {

namespace paired_clock {
inline constexpr const char* kWall = "wall";  // CLOCK_REALTIME, by which NVML dates its figures
inline constexpr const char* kBoot = "boot";  // CLOCK_BOOTTIME, by which the amdgpu driver does
}  // namespace paired_clock

struct ClockPairRow {
  std::string clock;
  int64_t t_ns = 0;
  int64_t width_ns = 0;
  int64_t source_ns = 0;
};

template <>
struct RowSchema<ClockPairRow> {
  static constexpr const char* kName = "clock_pairs";
  static constexpr const char* kMeaning = "readings of other clocks between two of the session clock";
  template <class R = ClockPairRow>
  static auto columns() {
    return std::tuple{row_column("clock", &R::clock, "", "wall (CLOCK_REALTIME), boot (CLOCK_BOOTTIME)"),
                      row_column("t_ns", &R::t_ns, "ns", "session time just before the clock was read"),
                      row_column("width_ns", &R::width_ns, "ns", "until the session clock had been read again"),
                      row_column("source_ns", &R::source_ns, "ns", "what the clock showed")};
  }
};

}  // namespace aaco
