// SPDX-License-Identifier: MIT
// Short kernels of one block in a row on one stream, with and without long kernels on another, behind a gate: the raw
// times of kind/queue_probe/analysis/convoy.h. A long kernel has several times the blocks that the device can hold, as
// large products have: a short one that becomes ready meanwhile stands behind its blocks. Rounds of without, with,
// with, without; one before is not kept.
#pragma once

#include "device/device.h"
#include "kind/queue_probe/analysis/convoy.h"

namespace aaco {

struct ConvoyProbe {
  int32_t long_kernels = 4;
  int32_t short_kernels = 50;
  int64_t block_ns = 100'000;  // of a long kernel
  int32_t waves = 4;           // so many times as many blocks as fit at once, 32 on each compute unit
  int64_t short_ns = 2'000;
  int32_t rounds = 5;
  int64_t gate_timeout_ns = 5'000'000'000;
};

// Errors: kUsage for counts below one; the device's.
Result<ConvoyRun> probe_convoy(Device& device, const ConvoyProbe& probe);

}  // namespace aaco
