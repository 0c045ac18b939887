// SPDX-License-Identifier: MIT
// Trains in fresh processes and measures the steps; what must hold of the training is checked before any of them.
#pragma once

#include <memory>
#include <vector>

#include "analysis/documents/training_run_document.h"
#include "base/result.h"
#include "experiment/run_request.h"

namespace aaco {

// Errors: kUsage of the request; kInvalid naming the gate that does not hold, with the session that says so; the
// device's; kInterrupted.
Result<TrainingRunDocument> run_training(const TrainingRequest& request, const ProgressCallback& progress);

// Several in one time span, their processes in turns. One result each.
std::vector<Result<TrainingRunDocument>> run_trainings(const std::vector<TrainingRequest>& requests,
                                                       const ProgressCallback& progress);

}  // namespace aaco
