// SPDX-License-Identifier: MIT
#include "observe/telemetry/plane.h"

#include "base/json.h"

namespace aaco {

AACO_JSON_FIELDS(PlaneColumn, table, name, unit, unread)
AACO_JSON_FIELDS(CollectorPlane, name, columns)

}  // namespace aaco
