// SPDX-License-Identifier: MIT
// What samples add up to since the monitor's start: counters, for which a scrape that is missed loses nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "record/gpu_sample.h"
#include "record/rows.h"

namespace aaco {

class SampleTotals {
 public:
  struct Gpu {
    std::string vendor;
    int64_t t_ns = 0;                         // of the last sample
    std::optional<double> throttled_seconds;  // none before what throttles has been read
    std::set<std::string> events;             // clock events that have been seen
  };

  void take(const SystemRow& row);
  // A throttled sample counts for the time since the one before it, at most kLongestGapNs: what was not watched is not
  // counted.
  void take(const GpuSampleRow& row);

  std::optional<double> context_switches() const { return context_switches_; }
  const std::map<std::string, Gpu>& gpus() const { return gpus_; }  // by device

  static constexpr int64_t kLongestGapNs = 10'000'000'000;

 private:
  std::optional<double> context_switches_;
  std::map<std::string, Gpu> gpus_;
};

}  // namespace aaco
