// SPDX-License-Identifier: MIT
// Probes of a device's hardware queues.
#pragma once

#include "kind/kind.h"

namespace aaco {

extern const Kind kQueueProbe;

}  // namespace aaco
