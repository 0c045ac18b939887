// SPDX-License-Identifier: MIT
// How collectors and their cost stand in the documents of a session.
#include "base/json.h"
#include "observe/telemetry/plane.h"
#include "observe/telemetry/sampler.h"

namespace aaco {

AACO_JSON_FIELDS(PlaneColumn, table, name, unit, unread)
AACO_JSON_FIELDS(CollectorPlane, name, columns)
AACO_JSON_FIELDS(SamplerCost, period_ns, samples, missed_periods, median_ns, cpu_time_ns)

}  // namespace aaco
