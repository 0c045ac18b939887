// SPDX-License-Identifier: MIT
// What kept the threads of two runs off a processor: evidence beside their comparison, judged by nobody.
#pragma once

#include <optional>

#include "analysis/host/off_cpu_means.h"
#include "report/report_model.h"

namespace aaco::report {

// None where neither side has rows of the kernel; a side without them is "no data".
std::optional<Section> off_cpu_change_section(const std::optional<OffCpuMeans>& baseline,
                                              const std::optional<OffCpuMeans>& test);

}  // namespace aaco::report
