// SPDX-License-Identifier: MIT
// Whether the calling thread has computed with a denormal number: a flag that x86 processors keep (MXCSR.DE).
#pragma once

#include <optional>

namespace aaco {

void clear_denormal_flag();

// Since it was cleared. None on processors without such a flag, and where denormal numbers count as zero the processor
// sets none.
std::optional<bool> denormal_flag();

}  // namespace aaco
