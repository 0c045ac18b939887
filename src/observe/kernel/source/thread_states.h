// SPDX-License-Identifier: MIT
// The kernel's numbers in words: states of threads, soft interrupts.
#pragma once

#include <cstdint>
#include <string>

#include "record/host/off_cpu_row.h"

namespace aaco {

// Of the bits that a thread's state has when it leaves its processor, of kernels since 5.10 (include/linux/sched.h).
OffCpuReason reason_of_state(uint32_t state);

// "timer", "net_rx"; of a number that is not known, that number.
std::string soft_interrupt_name(int64_t number);

}  // namespace aaco
