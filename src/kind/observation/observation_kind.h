// SPDX-License-Identifier: MIT
// A program that knows nothing of aaco, observed (`aaco observe`).
#pragma once

#include "kind/kind.h"

namespace aaco {

extern const Kind kObservation;

}  // namespace aaco
