// SPDX-License-Identifier: MIT
// Metrics as OpenTelemetry's protocol has them (OTLP 1.0, metrics.proto in JSON). Names are those of its conventions
// for hardware where they have one (hw.gpu.utilization, hw.power), and aaco.* elsewhere: there is none for clocks and
// throttling.
#pragma once

#include <cstdint>
#include <string>

#include "base/json/json_fwd.h"
#include "monitor/metric.h"

namespace aaco {

struct OtlpTimes {
  int64_t start_wall_ns = 0;  // since when counters count
  int64_t wall_ns = 0;        // of the metrics
};

// An ExportMetricsServiceRequest. `host` is its host.name.
Json otlp_request(const MetricSet& metrics, const OtlpTimes& times, const std::string& host);

}  // namespace aaco
