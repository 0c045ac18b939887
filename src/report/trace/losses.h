// SPDX-License-Identifier: MIT
// What was lost of a trace, as every output shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json/json_fwd.h"
#include "record/events/loss_table.h"
#include "report/report_model.h"
#include "report/trace/outline.h"

namespace aaco::report {

enum class Notes { kTold, kCounted };  // losses that change no figure: in full, or in one line

// "losses": each with count, severity, meaning, remedy and the first one; and what they took on the device, where that
// is known, as a share of `recorded_device_ns` where that is.
void outline_losses(const LossTable& losses, std::optional<int64_t> recorded_device_ns, Notes fold, Outline& at);

// The same alone: the array, a block of a report, and what a terminal shows of that.
Json loss_rows(const LossTable& losses);
Block loss_block(const LossTable& losses);
std::string loss_lines(const LossTable& losses);

}  // namespace aaco::report
