// SPDX-License-Identifier: MIT
#include "monitor/sample_totals.h"

#include <string_view>

namespace aaco {

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
    const bool watched = passed > 0 && passed <= kLongestGapNs;
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

}  // namespace aaco
