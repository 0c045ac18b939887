// SPDX-License-Identifier: MIT
#include "monitor/sample_totals.h"

#include <algorithm>
#include <string_view>

namespace aaco {

namespace {

// Samples come late where the machine is busy: as long as a watch takes until it calls its collector stalled.
constexpr int64_t kGapIntervals = 3;

}  // namespace

SampleTotals::SampleTotals(int64_t interval_ns)
    : longest_gap_ns_(std::max(kShortestGapNs, kGapIntervals * interval_ns)) {}

void SampleTotals::take(const SystemRow& row) {
  if (row.context_switches) {
    context_switches_ = context_switches_.value_or(0) + static_cast<double>(*row.context_switches);
  }
}

void SampleTotals::take(const GpuSampleRow& row) {
  Gpu& gpu = gpus_[row.device];
  gpu.vendor = row.vendor;
  if (row.throttled) {
    const int64_t passed = gpu.t_ns == 0 ? 0 : row.t_ns - gpu.t_ns;
    const bool watched = passed > 0 && passed <= longest_gap_ns_;
    gpu.throttled_seconds =
        gpu.throttled_seconds.value_or(0) + (*row.throttled != 0 && watched ? static_cast<double>(passed) * 1e-9 : 0);
  }
  gpu.t_ns = row.t_ns;
  std::string_view rest = row.clock_events ? std::string_view(*row.clock_events) : std::string_view();
  while (!rest.empty()) {
    const size_t end = rest.find(';');
    gpu.events.emplace(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
}

void SampleTotals::hand_over(const std::string& device, SampleTotals& to) {
  const auto own = gpus_.find(device);
  if (own == gpus_.end()) {
    return;
  }
  if (const auto kept = to.gpus_.find(device); kept != to.gpus_.end()) {
    std::optional<double>& seconds = kept->second.throttled_seconds;
    seconds = std::max(seconds, own->second.throttled_seconds);  // none is less than any
    kept->second.events.merge(own->second.events);
  }
  gpus_.erase(own);
}

}  // namespace aaco
