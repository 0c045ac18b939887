// SPDX-License-Identifier: MIT
// What the monitor answers over HTTP.
#pragma once

#include <functional>

#include "base/http/http_message.h"
#include "monitor/metric.h"

namespace aaco {

// /metrics, /healthz, and / with links to them.
HttpResponse monitor_response(const HttpRequest& request, const std::function<MetricSet()>& metrics);

}  // namespace aaco
