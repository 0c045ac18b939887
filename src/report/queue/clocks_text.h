// SPDX-License-Identifier: MIT
// What a GPU's clocks did while a run measured, in one line.
#pragma once

#include <string>

#include "analysis/queue/timeline/device_clocks.h"

namespace aaco::report {

// "1980 MHz (lowest 1400 MHz), memory 3201 MHz; throttled in 20.0 % of 31 samples, sw_power_cap 20.0 %", or "no data: "
// and why.
std::string clocks_text(const DeviceClocks& clocks);

}  // namespace aaco::report
