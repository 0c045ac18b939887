// SPDX-License-Identifier: MIT
// How a figure stands in a document.
#include "analysis/metric/metric.h"
#include "analysis/metric/quality.h"
#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(Interval, low, high)
AACO_JSON_FIELDS(Estimate, value, interval)
AACO_JSON_FIELDS(MetricValue, id, value, interval, quality)
void to_json(Json& json, const Quality& quality) { json = quality_text(quality); }
void from_json(const Json& json, Quality& quality) { quality = parse_quality(json.get_ref<const std::string&>()); }

}  // namespace aaco
