// SPDX-License-Identifier: MIT
// A run of a hardware-queue workload.
#pragma once

#include "kind/kind.h"

namespace aaco {

extern const Kind kQueueRun;

}  // namespace aaco
