// SPDX-License-Identifier: MIT
// The executive summary: four to six sentences that a busy reader can act on.
#pragma once

#include <string>
#include <vector>

#include "analysis/model_run/context.h"

namespace aaco {

// Needs the bottleneck, the offenders and the warnings. In order: how long it takes, where the time goes, what limits
// it, what to do, how sure that is, the quality of the data.
std::vector<std::string> executive_summary(const Context& context);

// What to type to record what the run of `command_line` lacks, and what is undetermined may need; in words where that
// is empty or not of `aaco run`. "" where nothing is missing.
std::string command_for_missing(const Recording& recording, const std::vector<std::string>& command_line);

}  // namespace aaco
