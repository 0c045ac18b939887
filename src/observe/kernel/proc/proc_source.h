// SPDX-License-Identifier: MIT
// /proc: how often the threads left their processors, how long they waited for one, how often they faulted. No rows:
// the kernel keeps counts there, and no moments.
#pragma once

#include <memory>

#include "observe/kernel/source/kernel_source.h"

namespace aaco {

std::unique_ptr<KernelSource> open_proc_source();

}  // namespace aaco
