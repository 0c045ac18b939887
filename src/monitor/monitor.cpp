// SPDX-License-Identifier: MIT
#include "monitor/monitor.h"

#include <algorithm>
#include <string_view>

#include "base/clock.h"
#include "monitor/monitor_metrics.h"

namespace aaco {

namespace {

// What pushes rows of one observed process has nothing for a monitor of the machine.
bool has_samples(const CollectorInfo& info) {
  return std::ranges::any_of(info.tables, [](std::string_view table) {
    return table == RowSchema<SystemRow>::kName || table == RowSchema<GpuSampleRow>::kName;
  });
}

}  // namespace

Result<std::unique_ptr<Monitor>> Monitor::start(const MonitorOptions& options) {
  std::unique_ptr<Monitor> monitor(new Monitor);
  for (const CollectorInfo& info : all_collectors()) {
    if (!has_samples(info)) {
      continue;
    }
    AACO_ASSIGN(auto watch, CollectorWatch::start(info, options.collectors, options.interval_ns, options.on_sample));
    monitor->watches_.push_back(std::move(watch));
  }
  return monitor;
}

void Monitor::wait_for_steps(int64_t steps, int64_t deadline_ns) const {
  for (const auto& watch : watches_) {
    watch->wait_for_steps(steps, deadline_ns);
  }
}

std::vector<CollectorReading> Monitor::readings() const {
  std::vector<CollectorReading> readings;
  for (const auto& watch : watches_) {
    readings.push_back(watch->reading(monotonic_ns()));
  }
  return readings;
}

MetricSet Monitor::metrics() const {
  MetricSet metrics = metrics_of(readings());
  add_process_metrics(metrics);
  return metrics;
}

void Monitor::stop() {
  for (const auto& watch : watches_) {
    watch->stop();
  }
}

}  // namespace aaco
