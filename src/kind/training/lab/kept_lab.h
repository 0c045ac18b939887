// SPDX-License-Identifier: MIT
// A lab's measurement, kept in the folder of sessions: an answer is held against what the learner saw.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "kind/training/lab/lab_measurement.h"

namespace aaco {

// SESSIONS/labs/lab_03.json.
std::filesystem::path kept_lab_file(const std::string& sessions, int32_t lab);

// Nothing where there is none. Errors: kUsage where the file is something else.
Result<std::optional<LabMeasurement>> read_kept_lab(const std::string& sessions, int32_t lab);

// Errors: those of writing.
Result<void> keep_lab(const std::string& sessions, const LabMeasurement& measurement);

}  // namespace aaco
