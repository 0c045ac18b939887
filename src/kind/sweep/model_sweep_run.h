// SPDX-License-Identifier: MIT
// `aaco sweep`: one model over several batch sizes.
#pragma once

#include <vector>

#include "kind/model_run/run_model.h"
#include "kind/sweep/document/model_sweep_document.h"
#include "kind/sweep/sweep_run.h"

namespace aaco {

// The first batch that fails ends it. Errors: kUsage for no batches; the first batch's error when there is no point at
// all.
Result<SweepOutcome<ModelSweepDocument>> run_model_sweep(const RunRequest& request, const std::vector<int64_t>& batches,
                                                         const ProgressCallback& progress);

}  // namespace aaco
