// SPDX-License-Identifier: MIT
// The calls of the host that CUPTI is asked to record.
#pragma once

#include <cupti.h>
#include <span>

#include "record/device/activity_record.h"

namespace aaco::gpu {

struct RecordedCall {
  CUpti_CallbackId id;
  ActivityKind kind;
  const char* name;  // of all variants the same: "cuMemcpyAsync"
};

std::span<const RecordedCall> runtime_calls();
// Libraries call the driver without the runtime too (NCCL, Triton).
std::span<const RecordedCall> driver_calls();
// Null where it is not among `calls`, which are in the order of their numbers.
const RecordedCall* find_call(std::span<const RecordedCall> calls, CUpti_CallbackId id);

}  // namespace aaco::gpu
