// SPDX-License-Identifier: MIT
// The one place where threads start: that there may be no more of them is an error like any other.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "base/result.h"

namespace aaco {

// It handles no signals: a Ctrl-C handled there would not interrupt what the main thread waits for. What `work` throws
// ends the program. Errors: kResource naming the limit.
Result<std::thread> start_thread(std::function<void()> work);

// Threads that meet before they work, so that either all work or none: who starts and finds no more, does not leave
// others that wait for it.
// Errors: as start_thread; then no `work` was called. Returns when all have ended.
Result<void> run_threads(size_t count, const std::function<void(size_t index)>& work);

}  // namespace aaco
