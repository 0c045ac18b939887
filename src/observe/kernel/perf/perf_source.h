// SPDX-License-Identifier: MIT
// Context-switch records of perf_event_open: what a user without rights may have of own programs. It tells when a
// thread left its processor and came back, and its page faults; not who ran instead, and not who woke it.
#pragma once

#include <memory>

#include "observe/kernel/source/kernel_source.h"

namespace aaco {

// From now on, of all that the calling thread starts. Errors: kUnavailable, saying what does not allow it.
Result<std::unique_ptr<KernelSource>> open_perf_source();

}  // namespace aaco
