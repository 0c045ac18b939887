// SPDX-License-Identifier: MIT
// `aaco run`: a model through fresh processes into a closed session bundle, analysed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/results.h"
#include "base/result.h"
#include "experiment/run_request.h"

namespace aaco {

struct RunOutcome {
  std::filesystem::path bundle;
  std::string status;         // of the closed session: "complete", "invalid"
  std::string status_reason;
  RunFacts facts;
  Analysis analysis;
  std::vector<std::string> notes;       // choices made for the user, and warnings
  std::vector<std::string> mismatches;  // of --expect
};

// The order: resolve the request, inspect the model in a process of its own (a model or provider that does not work is an
// error here, before any session folder exists), make the bundle, run the measuring processes with profiled ones between
// them, and close. Interrupted: the bundle is closed as such and the error is kInterrupted. A process that fails closes the
// bundle as "failed" with what was recorded, and is the error.
Result<RunOutcome> run_model(const RunRequest& request, const Progress& progress);

}  // namespace aaco
