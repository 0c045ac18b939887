// SPDX-License-Identifier: MIT
// `aaco sweep`: one model over several batch sizes; each batch is a run with a bundle of its own, the sweep a bundle
// that names them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model_run/scaling.h"
#include "experiment/model_run/run_model.h"
#include "trace/session_status.h"

namespace aaco {

struct SweepPoint {
  int64_t batch = 0;
  std::string bundle;  // of the run
  SessionStatus status = SessionStatus::kUnknown;
  std::optional<Estimate> latency_ns;
  std::string bottleneck_class;
};

struct SweepOutcome {
  std::filesystem::path bundle;
  std::vector<SweepPoint> points;
  Scaling scaling;
  std::optional<Error> stopped_by;  // the error of the batch at which the sweep ended early; the points before are kept
};

// Errors: kUsage for no batches; the first batch's error when there is no point at all.
Result<SweepOutcome> run_sweep(const RunRequest& request, const std::vector<int64_t>& batches,
                               const ProgressCallback& progress);

// metrics/sweep.json of the bundle, and what `aaco sweep --json` prints.
Json sweep_json(const SweepOutcome& outcome);

}  // namespace aaco
