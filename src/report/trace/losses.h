// SPDX-License-Identifier: MIT
// What was lost of a trace, as every output shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "report/report_model.h"
#include "trace/loss_table.h"

namespace aaco::report {

// An array of losses with count, severity, meaning, remedy and the first one; and what they took on the device, where
// that is known, as a share of `recorded_device_ns` where that is.
Json losses_json(const LossTable& losses, std::optional<int64_t> recorded_device_ns = std::nullopt);
std::string losses_text(const LossTable& losses);
Block losses_block(const LossTable& losses);

}  // namespace aaco::report
