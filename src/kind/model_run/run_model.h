// SPDX-License-Identifier: MIT
// `aaco run`: a model through fresh processes into a closed session bundle, analysed.
#pragma once

#include <filesystem>
#include <utility>

#include "base/result.h"
#include "engine/progress.h"
#include "kind/model_run/request/run_request.h"
#include "kind/model_run/run_outcome.h"

namespace aaco {

// The order: resolve the request, inspect the model in a process of its own (a model or provider that does not work is
// an error here, before any session folder exists), make the bundle, run the measuring processes with profiled ones
// between them, and close. Interrupted: the bundle is closed as such and the error is kInterrupted. A process that
// fails closes the bundle as failed with what was recorded, and is the error.
Result<RunOutcome> run_model(const RunRequest& request, const ProgressCallback& progress);

// Two runs whose processes alternate (ABBA) in one time span: two bundles of one interleave_group, to be compared in
// pairs. Errors as of run_model: one while measuring closes both bundles, as failed or interrupted.
Result<std::pair<RunOutcome, RunOutcome>> run_interleaved(const RunRequest& a, const RunRequest& b,
                                                          const ProgressCallback& progress);

// Two recorded runs again, as run_interleaved. Errors: kUsage too, for a bundle that holds no request.
Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_models(const std::filesystem::path& baseline,
                                                                             const std::filesystem::path& test,
                                                                             const std::string& sessions,
                                                                             const ProgressCallback& progress);

// The request that a bundle was recorded with. Errors: kUsage when it holds none.
Result<RunRequest> recorded_request(const std::filesystem::path& bundle);

}  // namespace aaco
