// SPDX-License-Identifier: MIT
// The rest of a command in a child process of bounded memory: for work whose needs nobody can tell beforehand, such as
// a user's SQL.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"

namespace aaco {

// Forks. The child gets no value and goes on with the command; it inherits stdout and stderr, cannot allocate more than
// `memory_bytes`, is killed `time_ns` later where that is given, and dies with the parent. The parent waits for its end
// and gets its exit code. An interrupt of the parent is passed on; a child that has not ended a second later is killed.
// Only for a process without threads. Errors, in the parent: kResource where there can be no process, or where the
// child held more memory, took longer or a signal ended it; kInterrupted.
Result<std::optional<int>> continue_in_limited_child(uint64_t memory_bytes,
                                                     std::optional<int64_t> time_ns = std::nullopt);

}  // namespace aaco
