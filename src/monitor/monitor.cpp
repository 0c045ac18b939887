// SPDX-License-Identifier: MIT
#include "monitor/monitor.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "monitor/gpu_sources.h"
#include "monitor/monitor_metrics.h"

namespace aaco {

namespace {

// What pushes rows of one observed process has nothing for a monitor of the machine.
bool has_samples(const CollectorInfo& info) {
  return std::ranges::any_of(info.tables, [](std::string_view table) {
    return table == RowSchema<SystemRow>::kName || table == RowSchema<GpuSampleRow>::kName;
  });
}

std::vector<CollectorReading> readings_of(const std::vector<const CollectorWatch*>& watches) {
  std::vector<CollectorReading> readings;
  for (const CollectorWatch* watch : watches) {
    readings.push_back(watch->reading(monotonic_ns()));
  }
  return readings;
}

// Hands on what none of the watches before has. A device may come from two before those have read anything, and while
// one before does not answer for it: its row of that device, which holds no reading, is handed on too.
CollectorWatch::Listener without_devices_of(std::vector<const CollectorWatch*> before,
                                            const CollectorWatch::Listener& on_sample) {
  if (!on_sample) {
    return nullptr;
  }
  return [before = std::move(before), on_sample](const CollectorReading& reading) {
    std::vector<CollectorReading> readings = readings_of(before);
    readings.push_back(reading);
    keep_one_source(readings);
    on_sample(readings.back());
  };
}

}  // namespace

Result<std::unique_ptr<Monitor>> Monitor::start(const MonitorOptions& options) {
  std::unique_ptr<Monitor> monitor(new Monitor);
  std::vector<const CollectorWatch*> before;
  for (const CollectorInfo& info : all_collectors()) {
    if (!has_samples(info)) {
      continue;
    }
    AACO_ASSIGN(auto watch, CollectorWatch::start(info, options.collectors, options.interval_ns,
                                                  without_devices_of(before, options.on_sample)));
    before.push_back(watch.get());
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
  std::vector<const CollectorWatch*> watches;
  for (const auto& watch : watches_) {
    watches.push_back(watch.get());
  }
  std::vector<CollectorReading> readings = readings_of(watches);
  keep_one_source(readings);
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
