// SPDX-License-Identifier: MIT
// Who records: what session.json says so that a reader can tell a running session from a killed one.
#pragma once

#include <cstdint>
#include <string>

#include "session/session.h"

namespace aaco {

// A complete run has iterations; a sweep has them in the sessions of its points, a probe and a trace have none.
bool needs_iterations(const SessionInfo& info);

// Of the running kernel; empty where /proc does not tell.
std::string boot_id();

// When this process started, in clock ticks since boot (proc(5), field 22 of stat); 0 where /proc does not tell.
int64_t own_start_ticks();

}  // namespace aaco
