// SPDX-License-Identifier: MIT
// What was tried in turns with a run (--try).
#pragma once

#include <string>
#include <vector>

#include "kind/model_run/tried/tried_alternative.h"
#include "report/headline/headline.h"
#include "report/report_model.h"

namespace aaco::report {

// Those that gained, their interval wholly above 1: measured, they come before all that is only bounded.
std::vector<std::string> measured_remedies(const std::vector<TriedAlternative>& tried);
void put_remedies(const std::vector<TriedAlternative>& tried, Headline& headline);

Section alternatives_section(const std::vector<TriedAlternative>& tried);

}  // namespace aaco::report
