// SPDX-License-Identifier: MIT
// The entry of a lockstep library by which it runs an operation as a whole: what the host does before the kernels, too.
#pragma once

#include <string>

#include "device/gpu/stream_context.h"
#include "device/ops/op_list.h"

namespace aaco {

// `failure`: empty, or what went wrong.
using RunOp = void (*)(OpId op, const void* args, const gpu::DeviceLimits& limits, std::string& failure);
inline constexpr const char* kRunOpEntry = "aaco_lockstep_run_op";

// What it answers for an operation that a vendor's library computes.
inline constexpr const char* kNotOurs = "the vendor's library computes it";

}  // namespace aaco
