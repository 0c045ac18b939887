// SPDX-License-Identifier: MIT
// What a training run is asked for, made complete and understood.
#pragma once

#include "base/result.h"
#include "kind/training/document/training_run_document.h"
#include "workload/dispatch.h"
#include "workload/training/llama_config.h"

namespace aaco {

// Sizes that are 0 become the preset's, an empty dispatch the version's. Errors: kUsage for what cannot be.
Result<TrainingRequest> complete_request(TrainingRequest request);

// Of a complete request. Errors: kUsage.
Result<LlamaConfig> llama_config_of(const TrainingRequest& request);
Result<const LlamaVersion*> llama_version_of(const TrainingRequest& request);

// Steps whose losses are kept: warm-up, the measured ones, and the one that comes before a capture.
int64_t kept_losses(const TrainingRequest& request);

}  // namespace aaco
