// SPDX-License-Identifier: MIT
// Metrics as text: OpenMetrics 1.0, or the older format 0.0.4 of Prometheus.
#pragma once

#include <string>
#include <string_view>

#include "base/json/json_fwd.h"
#include "base/text/enum_words.h"
#include "monitor/metric.h"

namespace aaco {

enum class ExpositionFormat { kPrometheusText, kOpenMetrics };

// By the Accept header: OpenMetrics where it is named in version 1.0.0 or without one, and no other format is preferred
// to it. Whoever names nothing gets the older format, which everybody reads.
ExpositionFormat exposition_format(std::string_view accept);
const char* content_type(ExpositionFormat format);
std::string exposition_text(const MetricSet& metrics, ExpositionFormat format);

// [{"name", "type", "unit", "help", "points": [{"labels", "value"}]}], names as OpenMetrics has them.
Json metrics_json(const MetricSet& metrics);

}  // namespace aaco
