// SPDX-License-Identifier: MIT
// metrics/queue.json of a sweep over streams, which `aaco queue sweep --json` and --output give too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/documents/queue_run_document.h"
#include "analysis/queue/stream_scaling.h"
#include "base/json_fwd.h"
#include "base/result.h"

namespace aaco {

struct QueueSweepDocument {
  static constexpr const char* kKind = "queue_sweep";

  std::string version;  // of the program
  std::string bundle;
  std::string workload;
  StreamScaling scaling;
  std::vector<QueueRunDocument> points;
  std::optional<std::string> stopped_by;  // why it ended early
};

void to_json(Json& json, const QueueSweepDocument& document);

// Errors: kUsage naming `source` for what is no such document, or has a point that is none.
Result<QueueSweepDocument> read_queue_sweep(const Json& json, std::string_view source);

}  // namespace aaco
