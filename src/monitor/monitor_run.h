// SPDX-License-Identifier: MIT
// A monitor at work: it samples, serves, pushes, stores and alerts until it is interrupted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/http/http_post.h"
#include "base/http/http_server.h"
#include "monitor/alerts/alert_states.h"
#include "monitor/monitor.h"
#include "monitor/store/sample_store.h"

namespace aaco {

struct MonitorRequest {
  int64_t interval_ns = 1'000'000'000;
  HttpServerOptions server;
  std::optional<HttpUrl> otlp;
  std::optional<StoreOptions> store;
  std::vector<AlertRule> rules;

  // Between two pushes over OTLP, which needs no more; longer where the interval is.
  static constexpr int64_t kPushIntervalNs = 10'000'000'000;
};

// What somebody is told meanwhile, all on one thread.
struct MonitorEvents {
  std::function<void(const std::string& url, const std::vector<CollectorReading>&)> on_start;
  std::function<void(const AlertChange&)> on_alert;
  std::function<void(const std::string& what)> on_trouble;  // an output that fails, or works again
};

// Returns when interrupted. Errors: what keeps it from starting.
Result<void> run_monitor(const MonitorRequest& request, const MonitorEvents& events);

}  // namespace aaco
