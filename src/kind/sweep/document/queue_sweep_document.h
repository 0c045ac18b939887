// SPDX-License-Identifier: MIT
// metrics/queue.json of a sweep over streams, which `aaco queue sweep --json` and --output give too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kind/queue_run/analysis/stream_scaling.h"
#include "kind/queue_run/document/queue_run_document.h"
#include "kind/sweep/document/sweep_document.h"

namespace aaco {

struct QueueSweepDocument : SweepHead {
  static constexpr const char* kKind = "queue_sweep";
  static constexpr SweepForm kForm{kKind, "aaco queue sweep", "points", true};

  std::string workload;
  StreamScaling scaling;
  std::vector<QueueRunDocument> points;
  std::optional<std::string> stopped_by;  // why it ended early
};

void to_json(Json& json, const QueueSweepDocument& document);

// Errors: as damaged_sweep; kUsage for a point that is no run of a workload.
Result<QueueSweepDocument> read_queue_sweep(const Json& json, std::string_view source);

}  // namespace aaco
