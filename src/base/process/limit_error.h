// SPDX-License-Identifier: MIT
// What the system does not give: threads, processes, descriptors. Which of the limits it was is looked up.
#pragma once

#include <exception>
#include <string_view>

#include "base/result.h"

namespace aaco {

// kResource: "cannot start a thread: Resource temporarily unavailable (RLIMIT_NPROC is 64)". `what`: behind "cannot".
// EMFILE names RLIMIT_NOFILE; EAGAIN the smallest of RLIMIT_NPROC, pids.max of the control group, and the kernel's
// threads-max that is reached or next to it.
Error limit_error(std::string_view what, int error_number);

// What an exception means that nobody has caught: memory, a thread that cannot start, an interrupt, a disk that is full
// are no bugs; all else is.
Error error_of(const std::exception& exception);

}  // namespace aaco
