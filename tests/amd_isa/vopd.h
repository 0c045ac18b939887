// SPDX-License-Identifier: MIT
// Two operations in one instruction (gfx1100): both read before either writes.
#pragma once

#include "instruction.h"

namespace aaco::amd {

Instruction make_vopd(Instruction first, Instruction second);

}  // namespace aaco::amd
