// SPDX-License-Identifier: MIT
// Copies beside matrix products (`aaco overlap copy`).
#pragma once

#include "kind/kind.h"

namespace aaco {

extern const Kind kCopyOverlap;

}  // namespace aaco
