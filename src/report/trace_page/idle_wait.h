// SPDX-License-Identifier: MIT
// What the host waited in while a device was idle and nothing recorded says why.
#pragma once

#include <cstdint>
#include <string>

#include "record/events/event_table.h"

namespace aaco::report {

// "hipMemcpyWithStream, a copy that blocks the host, for 463.1 ms": the longest call that waits for the device. Empty
// where it is shorter than half of `unexplained_ns`, or where devices of its recording worked for a tenth of it.
std::string longest_idle_wait(const EventTable& events, int64_t unexplained_ns);

}  // namespace aaco::report
