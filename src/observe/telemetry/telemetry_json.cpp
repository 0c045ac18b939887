// SPDX-License-Identifier: MIT
// How collectors and their cost stand in the documents of a session.
#include "base/json/json.h"
#include "observe/telemetry/plane.h"
#include "observe/telemetry/sampler.h"

namespace aaco {

std::string source_text(const PlaneSource& source) {
  std::string text = source.name;
  if (!source.not_seen.empty()) {
    text += "; not seen: " + source.not_seen;
  }
  for (const std::string& loss : source.losses) {
    text += "; lost: " + loss;
  }
  return source.better.empty() ? text : text + "; better: " + source.better;
}

AACO_JSON_FIELDS(PlaneColumn, table, name, unit, unread)
AACO_JSON_FIELDS(PlaneSource, name, not_seen, better, losses, figures)
AACO_JSON_FIELDS(CollectorPlane, name, columns, source)
AACO_JSON_FIELDS(SamplerCost, period_ns, samples, missed_periods, median_ns, cpu_time_ns)

}  // namespace aaco
