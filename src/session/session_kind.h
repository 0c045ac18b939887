// SPDX-License-Identifier: MIT
// The kinds of sessions that `aaco queue` leaves, as session.json names them.
#pragma once

#include <string_view>

namespace aaco::session_kind {

inline constexpr const char* kQueueRun = "queue";
inline constexpr const char* kQueueSweep = "queue_sweep";
inline constexpr const char* kQueueProbe = "queue_probe";

inline bool is_queue(std::string_view kind) { return kind == kQueueRun || kind == kQueueSweep || kind == kQueueProbe; }

}  // namespace aaco::session_kind
