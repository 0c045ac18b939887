// SPDX-License-Identifier: MIT
// From what the user asked to what the worker processes do: registries, built-in models, backends, precision.
#pragma once

#include <string>

#include "base/result.h"
#include "kind/model_run/request/run_request.h"
#include "kind/model_run/request/worker_plan.h"
#include "model/identity/file_hash.h"
#include "model/runtime/provider_options.h"

namespace aaco {

struct ResolvedRun {
  WorkerPlan plan;  // without folder, index limits and profile iterations
  const ProviderInfo* provider = nullptr;
  std::string model_name;          // for the session and the baseline's file name
  HashedFile model_file;           // plan.model
  std::string precision;           // requested; "" as the model is
  std::vector<int> pin;            // processors; empty: wherever the parent may run
  std::vector<std::string> notes;  // choices that were made for the user
};

// A registry path that exists wins, else a built-in model of that name is generated, else the model is a path.
// Errors: kUsage naming what is wrong; kUnavailable never (the runtime is not touched here).
Result<ResolvedRun> resolve_run(const RunRequest& request);

}  // namespace aaco
