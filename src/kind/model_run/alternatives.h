// SPDX-License-Identifier: MIT
// A remedy, measured: the run and the same run another way, their processes in turns (ABBA), so that what drifts on the
// machine is in both.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/progress.h"
#include "kind/model_run/request/run_request.h"
#include "kind/model_run/run_outcome.h"
#include "kind/model_run/tried/tried_alternative.h"

namespace aaco {

struct Alternative {
  std::string name;  // as it was given
  RunRequest request;
};

// `words`, separated by commas: cuda-graph (one launch for an inference), tf32, batch (eight times the run's) or
// batch=N, threads=N, precision=WORD, the path of another .onnx file, else KEY=VALUE, an option of provider or session.
// Errors: kUsage for a word that is none of these, that the backend does not have, or that changes nothing.
Result<std::vector<Alternative>> alternatives_of(const RunRequest& base, const std::string& words);

struct AlternativesOutcome {
  RunOutcome base;  // of the first pair
  std::vector<TriedAlternative> tried;
  bool interrupted = false;  // the last of `tried` and those behind it were not measured
};

// One pair after the other. An alternative that cannot be run is said to be missing, and why; an interrupt ends them
// with what was measured before. Errors: kUsage, before anything is measured, for a request that makes no sense;
// kInterrupted where no pair was measured; of the run itself.
Result<AlternativesOutcome> try_alternatives(const RunRequest& base, const std::vector<Alternative>& alternatives,
                                             const ProgressCallback& progress);

}  // namespace aaco
