// SPDX-License-Identifier: MIT
#include "record/load.h"

#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(LoadFacts, arrivals, rate_per_s, ttft_ms, tpot_ms, e2el_ms)

}  // namespace aaco
