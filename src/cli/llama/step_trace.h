// SPDX-License-Identifier: MIT
// --profile: one step of a training as a file for viewers of traces.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace aaco {

// report/step.json of the session, Chrome's JSON: kernels by stream, calls, and a row for the phases. Errors: those of
// reading the session and of writing.
Result<std::filesystem::path> write_step_trace(const std::string& bundle);

}  // namespace aaco
