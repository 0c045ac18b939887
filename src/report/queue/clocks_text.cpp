// SPDX-License-Identifier: MIT
#include "report/queue/clocks_text.h"

#include <fmt/format.h>

#include "base/format.h"

namespace aaco::report {

namespace {

std::string mhz_text(const std::optional<double>& mhz) {
  return mhz ? fmt::format("{:.0f} MHz", *mhz) : std::string("no data");
}

}  // namespace

std::string clocks_text(const DeviceClocks& clocks) {
  if (!clocks.no_data.empty()) {
    return "no data: " + clocks.no_data;
  }
  std::string text = fmt::format("{} (lowest {}), memory {}", mhz_text(clocks.core_clock_p50_mhz),
                                 mhz_text(clocks.core_clock_min_mhz), mhz_text(clocks.memory_clock_p50_mhz));
  if (clocks.power_p50_w && clocks.power_max_w) {
    text += fmt::format(", {:.0f} W (at most {:.0f})", *clocks.power_p50_w, *clocks.power_max_w);
  }
  if (clocks.temperature_max_c) {
    text += fmt::format(", at most {:.0f} C", *clocks.temperature_max_c);
  }
  if (!clocks.throttled_share) {
    return text + "; throttling: no data";
  }
  text += fmt::format("; throttled in {} of {} samples", format_percent(*clocks.throttled_share), clocks.samples);
  for (const auto& [reason, share] : clocks.reason_shares) {
    text += fmt::format(", {} {}", reason, format_percent(share));
  }
  return text;
}

}  // namespace aaco::report
