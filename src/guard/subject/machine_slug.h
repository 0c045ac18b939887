// SPDX-License-Identifier: MIT
// A name for what may be compared with each other: machines of one kind (verdict/identity/machine_difference.h).
#pragma once

#include <string>

#include "base/json/json_fwd.h"

namespace aaco {

// "AMD-EPYC-7R13-2c-1f3a77c0": the processor, its cores, and a hash of both and, where it matters, of the kinds of GPU.
// "unknown" of a lockbox that does not name its processor.
std::string machine_slug(const Json& lockbox, bool on_gpu);

}  // namespace aaco
