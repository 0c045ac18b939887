// SPDX-License-Identifier: MIT
// What a run's session says before anything was measured.
#pragma once

#include <map>
#include <string>

#include "kind/model_run/inspection.h"
#include "kind/model_run/request/resolve.h"
#include "kind/model_run/request/run_request.h"
#include "record/recording.h"

namespace aaco {

// The facts that are known once the model was inspected: all but those of the processes, of the profiler and the roofs.
RunFacts initial_facts(const RunRequest& request, const ResolvedRun& run, const Inspection& inspection);

// The planes of the bundle: what this run records, what was not asked for, and what this version cannot record.
std::map<std::string, PlaneState> planes_of(const RunRequest& request);

}  // namespace aaco
