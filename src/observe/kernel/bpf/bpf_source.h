// SPDX-License-Identifier: MIT
// Programs in the kernel (eBPF): every switch, wakeup, fault and interrupt of the observed threads, none of others.
#pragma once

#include <memory>

#include "observe/kernel/source/kernel_source.h"

namespace aaco {

// `stacks`: of each thread that leaves its processor, and of who wakes it. Errors: kUnavailable, saying what this
// machine or this user lacks and how to get it.
Result<std::unique_ptr<KernelSource>> open_bpf_source(bool stacks);

}  // namespace aaco
