// SPDX-License-Identifier: MIT
// Trains in fresh processes and measures the steps; what must hold of the training is checked before any of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/progress.h"
#include "kind/training/document/training_run_document.h"

namespace aaco {

// Errors: kUsage of the request; kInvalid naming the gate that does not hold, with the session that says so; the
// device's; kInterrupted.
Result<TrainingRunDocument> run_training(const TrainingRequest& request, const ProgressCallback& progress);

// Several in one time span, their processes in turns; the roofs of a precision are measured once. One result each, and
// what ends one of them ends all.
std::vector<Result<TrainingRunDocument>> run_trainings(const std::vector<TrainingRequest>& requests,
                                                       const ProgressCallback& progress);

// A recorded request for measuring again: without a profiler.
TrainingRequest training_again(TrainingRequest recorded, const std::string& sessions);

// Two recorded trainings again, their processes in turns: the two new bundles. Errors: kUsage too, for a bundle that
// holds no request.
Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_trainings(const std::filesystem::path& baseline,
                                                                                const std::filesystem::path& test,
                                                                                const std::string& sessions,
                                                                                const ProgressCallback& progress);

// What came of one of several trainings: its document, as far as it came, and what it failed at.
struct TrainingAttempt {
  TrainingRunDocument document;
  std::optional<Error> failure;
};

// The same, but one that fails leaves its turns to the others. An interrupt ends all. Errors: kUsage of a request, and
// of a device that is not there; then none was begun.
Result<std::vector<TrainingAttempt>> attempt_trainings(const std::vector<TrainingRequest>& requests,
                                                       const ProgressCallback& progress);

}  // namespace aaco
