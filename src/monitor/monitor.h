// SPDX-License-Identifier: MIT
// All collectors of this machine, each watched by a thread of its own, and what they read now.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "monitor/collector_watch.h"
#include "monitor/metric.h"

namespace aaco {

struct MonitorOptions {
  int64_t interval_ns = 1'000'000'000;
  CollectorOptions collectors;
  CollectorWatch::Listener on_sample;  // called on several threads; not of devices that an earlier collector reads
};

class Monitor {
 public:
  // Starts a watch for each of all_collectors(). Errors: kResource where there can be no thread.
  static Result<std::unique_ptr<Monitor>> start(const MonitorOptions& options);
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  // A watch's listener asks those that were started before it: all end before one of them goes.
  ~Monitor() { stop(); }

  // Until each collector has been sampled, or tried, so often. A percentage needs two samples.
  void wait_for_steps(int64_t steps, int64_t deadline_ns) const;
  // Each GPU in one of them (gpu_sources.h).
  std::vector<CollectorReading> readings() const;
  MetricSet metrics() const;
  void stop();

 private:
  Monitor() = default;

  std::vector<std::unique_ptr<CollectorWatch>> watches_;
};

}  // namespace aaco
