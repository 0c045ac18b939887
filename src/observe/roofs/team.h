// SPDX-License-Identifier: MIT
// Threads that start together, each on a processor of its own, for measurements of what several processors reach.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "observe/host_files.h"

namespace aaco {

// `count` of `allowed`: one of each physical core before any second hardware thread of a core. kUsage when there are
// fewer.
Result<std::vector<int>> spread_processors(const HostFiles& host, const std::vector<int>& allowed, int64_t count);

// Runs `work(i)` on processors[i], one thread each; every thread waits until all are in place. Errors: kResource when a
// thread cannot be started or pinned.
Result<void> run_team(const std::vector<int>& processors, const std::function<void(size_t index)>& work);

}  // namespace aaco
