// SPDX-License-Identifier: MIT
// configs/accelerators.yaml: what accelerators can do at best. Mistakes are errors with line and column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/accelerator.h"

namespace aaco {

// `source` names the text in errors. Keys that nothing reads, numbers that are none or not positive: kUsage with
// "source:line:column".
Result<std::vector<Accelerator>> parse_accelerators(std::string_view text, const std::string& source);

// From find_config's file; empty when there is none.
Result<std::vector<Accelerator>> load_accelerators();

}  // namespace aaco
