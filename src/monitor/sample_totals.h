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

  SampleTotals() = default;
  // `interval_ns`: from one sample to the next, as it is meant to be.
  explicit SampleTotals(int64_t interval_ns);

  void take(const SystemRow& row);
  // A throttled sample counts for the time since the one before it. After a gap of more than three intervals, and of
  // more than kShortestGapNs, it counts nothing: nobody watched.
  void take(const GpuSampleRow& row);

  std::optional<double> context_switches() const { return context_switches_; }
  const std::map<std::string, Gpu>& gpus() const { return gpus_; }  // by device
  // Leaves the device's counters to another's totals. A counter never falls: where both counted, the larger one stands.
  void hand_over(const std::string& device, SampleTotals& to);

  static constexpr int64_t kShortestGapNs = 10'000'000'000;

 private:
  int64_t longest_gap_ns_ = kShortestGapNs;
  std::optional<double> context_switches_;
  std::map<std::string, Gpu> gpus_;
};

}  // namespace aaco
