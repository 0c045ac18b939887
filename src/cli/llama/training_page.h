// SPDX-License-Identifier: MIT
// Pages of several trainings, in the session of one.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "kind/training/document/training_ladder.h"
#include "report/report_model.h"

namespace aaco {

// report/ladder.html in the session of the last version. Errors: those of writing.
Result<std::filesystem::path> write_ladder_page(const TrainingLadder& ladder);

// report/roofline.html in the session. Errors: those of writing.
Result<std::filesystem::path> write_roofline_page(const std::string& bundle, const report::Report& roofline);

}  // namespace aaco
