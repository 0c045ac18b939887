// SPDX-License-Identifier: MIT
// Threads of ours in a foreign program.
#pragma once

#include <functional>
#include <memory>
#include <thread>

namespace aaco::gpu {

// The program's signals are the program's: none reaches this thread. Null where there can be no thread.
std::unique_ptr<std::thread> start_own_thread(const char* name, std::function<void()> work);

}  // namespace aaco::gpu
