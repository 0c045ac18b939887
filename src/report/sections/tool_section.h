// SPDX-License-Identifier: MIT
// What a vendor's profiler recorded of one process more.
#pragma once

#include "analysis/devices/tool_outcome.h"
#include "report/report_model.h"

namespace aaco::report {

Section tool_section(const ToolOutcome& tool);

}  // namespace aaco::report
