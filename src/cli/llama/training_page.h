// SPDX-License-Identifier: MIT
// --generate-report: pages of a training, where its session lies.
#pragma once

#include <filesystem>

#include "analysis/documents/training_ladder.h"
#include "base/result.h"
#include "report/report_model.h"

namespace aaco {

// report/report.html of the session. Errors: those of opening a session and of writing.
Result<std::filesystem::path> write_training_page(const std::string& bundle);

// report/ladder.html in the session of the last version. Errors: those of writing.
Result<std::filesystem::path> write_ladder_page(const TrainingLadder& ladder);

// report/roofline.html in the session. Errors: those of writing.
Result<std::filesystem::path> write_roofline_page(const std::string& bundle, const report::Report& roofline);

}  // namespace aaco
