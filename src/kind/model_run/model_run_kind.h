// SPDX-License-Identifier: MIT
// A run of an ONNX model.
#pragma once

#include "kind/kind.h"

namespace aaco {

extern const Kind kModelRun;

}  // namespace aaco
