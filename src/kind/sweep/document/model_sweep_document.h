// SPDX-License-Identifier: MIT
// metrics/sweep.json: a model over batch sizes; what `aaco sweep --json` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model_run/scaling.h"
#include "kind/sweep/document/sweep_document.h"
#include "record/session_status.h"

namespace aaco {

struct ModelSweepPoint {
  int64_t batch = 0;
  std::string bundle;  // of the run
  SessionStatus status = SessionStatus::kUnknown;
  std::string bottleneck_class;
};

struct ModelSweepDocument : SweepHead {
  static constexpr SweepForm kForm{"sweep", "aaco sweep", "points", true};

  std::vector<ModelSweepPoint> points;
  Scaling scaling;                        // of the points that are complete
  std::optional<std::string> stopped_by;  // why it ended early
};

void to_json(Json& json, const ModelSweepDocument& document);

// What follows from batches and times is computed again, so that an edited file cannot contradict itself. Errors: as
// damaged_sweep, also for a batch or a time that is none.
Result<ModelSweepDocument> read_model_sweep(const Json& json, std::string_view source);

}  // namespace aaco
