// SPDX-License-Identifier: MIT
// One event for several waiting streams.
#pragma once

#include <optional>
#include <span>

#include "workload/program.h"

namespace aaco {

// What the streams `to` are given from here on begins after all that `from` was given so far.
inline void hand_off(Program& program, int32_t from, std::span<const int32_t> to) {
  std::optional<int32_t> event;
  for (const int32_t stream : to) {
    if (stream != from) {
      event = event ? event : program.record(from);
      program.wait(stream, *event);
    }
  }
}

inline void hand_off(Program& program, int32_t from, std::initializer_list<int32_t> to) {
  hand_off(program, from, std::span<const int32_t>(to.begin(), to.size()));
}

}  // namespace aaco
