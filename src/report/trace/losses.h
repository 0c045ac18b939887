// SPDX-License-Identifier: MIT
// What was lost of a trace, as every output shows it.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "report/report_model.h"
#include "trace/loss_table.h"

namespace aaco::report {

// An array of losses with count, severity, meaning, remedy and the first one.
Json losses_json(const LossTable& losses);
std::string losses_text(const LossTable& losses);
Block losses_block(const LossTable& losses);

}  // namespace aaco::report
