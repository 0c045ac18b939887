// SPDX-License-Identifier: MIT
#include "guard/store/guard_rows.h"

#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(SeriesPlace, subject, backend, machine)
AACO_JSON_FIELDS(GuardRecord, record_id, recorded_ns, place, commit, branch, source, title, session_id, session_path,
                 valid, reason, sample)
AACO_JSON_FIELDS(GuardValue, record_id, recorded_ns, place, commit, valid, name, figure, unit, process, value,
                 clock_mhz)
AACO_JSON_FIELDS(GuardEntry, record, values)

}  // namespace aaco
