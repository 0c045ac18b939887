// SPDX-License-Identifier: MIT
// Programs in the kernel (eBPF): every switch, wakeup, fault and interrupt of the observed threads, none of others.
#pragma once

#include <memory>

#include "observe/kernel/source/kernel_source.h"

namespace aaco {

struct BpfOptions {
  bool stacks = true;     // of each thread that leaves its processor, and of who wakes it
  bool launches = false;  // calls that start work of a device: a probe costs the calling thread microseconds
};
// Errors: kUnavailable, saying what this machine or this user lacks and how to get it.
Result<std::unique_ptr<KernelSource>> open_bpf_source(const BpfOptions& options);

}  // namespace aaco
