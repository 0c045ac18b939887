// SPDX-License-Identifier: MIT
// Measuring two recorded sessions again compares what they asked for with the software of today. A change of the
// software itself cannot be undone that way: both sides would have it, and would be found equivalent.
#pragma once

#include <string>

#include "base/json/json_fwd.h"
#include "guard/store/guard_rows.h"

namespace aaco {

// Why sessions of these recordings cannot be measured again: aaco, a library, a driver or the kernel is another one, or
// a recording does not say which it had; "" where they can. `baseline` and `test`: their lockboxes.
std::string why_other_software(const GuardRecord& baseline_record, const Json& baseline, const GuardRecord& test_record,
                               const Json& test);

}  // namespace aaco
