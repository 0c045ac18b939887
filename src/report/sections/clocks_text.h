// SPDX-License-Identifier: MIT
// What devices' clocks, power and temperature were while something was measured.
#pragma once

#include <span>

#include "analysis/devices/device_clocks.h"
#include "report/report_model.h"

namespace aaco::report {

TableBlock clocks_table(std::span<const DeviceClocks> devices);

}  // namespace aaco::report
