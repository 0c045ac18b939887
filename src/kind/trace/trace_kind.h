// SPDX-License-Identifier: MIT
// An imported trace of another profiler.
#pragma once

#include "kind/kind.h"

namespace aaco {

extern const Kind kTrace;

}  // namespace aaco
