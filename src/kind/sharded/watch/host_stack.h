// SPDX-License-Identifier: MIT
// The calls that a thread of this process is in, taken by another of its threads: a signal makes it write down where it
// is, and it goes on.
#pragma once

#include <cstdint>
#include <pthread.h>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

// One return address. `symbol`: what the module says of it without debug information; "" where it lies in none that it
// exports.
struct StackFrame {
  std::string module;  // file
  uint64_t offset = 0;
  std::string symbol;
};

// Once, before the first host_stack(): what a signal handler may not do.
void prepare_host_stack();

// Innermost call first. Errors: kResource where the thread did not answer within the time: it is in a call of the
// operating system that no signal ends.
Result<std::vector<StackFrame>> host_stack(pthread_t thread, int64_t patience_ns);

}  // namespace aaco
