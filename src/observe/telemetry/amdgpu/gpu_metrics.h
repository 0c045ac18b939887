// SPDX-License-Identifier: MIT
// The table of measurements that the amdgpu driver hands over as bytes in `gpu_metrics`. Its header tells size and
// version; the layout is the kernel's drivers/gpu/drm/amd/include/kgd_pp_interface.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace aaco {

// indep_throttle_status, whose bits mean the same on every chip. Errors: kUnavailable saying which version the table
// has where it is not 1.3 (others have no such field, or an accumulated one), or that the driver leaves it unset.
Result<uint64_t> throttle_status_of(std::string_view table);

}  // namespace aaco
