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

// The one command that records what such a run lacks, and what is undetermined may need; "" where nothing is missing.
std::string command_for_missing(const Recording& recording);

}  // namespace aaco
