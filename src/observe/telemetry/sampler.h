// SPDX-License-Identifier: MIT
// Calls a collector at a fixed period on a thread of its own, and keeps account of what that costs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/json/json_fwd.h"
#include "observe/telemetry/collector.h"

namespace aaco {

inline constexpr int64_t kDefaultSamplePeriodNs = 100'000'000;  // 10 Hz

struct SamplerCost {
  int64_t period_ns = 0;
  int64_t samples = 0;
  int64_t missed_periods = 0;       // of the timeline, passed while the thread slept too long or a sample took too long
  std::optional<double> median_ns;  // elapsed time of a sample, over the last 4096; none before the first
  int64_t cpu_time_ns = 0;          // processor time of the sampling thread, waking up included
};
void to_json(Json& json, const SamplerCost& cost);
void from_json(const Json& json, SamplerCost& cost);

// Samples lie on the timeline start + k * period (the first at once): a late sample does not
// shift the next, and periods that passed by are skipped and counted.
class Sampler {
 public:
  // `period_ns` > 0. A collector that pushes has nothing that could be sampled.
  // Errors: kResource where no thread is to be had.
  static Result<std::unique_ptr<Sampler>> start(std::shared_ptr<Collector> collector,
                                                int64_t period_ns = kDefaultSamplePeriodNs);
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler();

  // Ends the thread without waiting for the period to pass; a sample under way is finished. Harmless when called twice.
  SamplerCost stop();

 private:
  Sampler(std::shared_ptr<Collector> collector, int64_t period_ns);
  void run();
  // False when the thread shall end.
  bool wait_until(int64_t deadline_ns);

  std::shared_ptr<Collector> collector_;
  SamplerCost cost_;
  std::vector<double> recent_ns_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace aaco
