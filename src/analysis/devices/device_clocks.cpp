// SPDX-License-Identifier: MIT
#include "analysis/devices/device_clocks.h"

#include <algorithm>
#include <fmt/format.h>

#include "analysis/bundle_json.h"
#include "base/json/json.h"
#include "base/statistics.h"

namespace aaco {

AACO_JSON_FIELDS(DeviceClocks, device, samples, core_clock_p50_mhz, core_clock_min_mhz, core_clock_max_mhz,
                 memory_clock_p50_mhz, memory_clock_min_mhz, power_p50_w, power_max_w, temperature_max_c, busy_p50_pct,
                 throttled_share, reason_shares, no_data)

namespace {

// The samples of one device within the windows, column by column; what is null is in none.
struct Columns {
  std::vector<double> core, memory, power, temperature, busy;
  int64_t samples = 0;
  int64_t telling = 0;  // of throttling
  int64_t throttled = 0;
  std::map<std::string, int64_t> reasons;

  void add(const GpuSampleRow& row) {
    ++samples;
    const auto take = [](std::vector<double>& to, const std::optional<double>& value) {
      if (value) {
        to.push_back(*value);
      }
    };
    take(core, row.core_clock_mhz);
    take(memory, row.memory_clock_mhz);
    take(power, row.power_w);
    take(temperature, row.temperature_c);
    take(busy, row.busy_pct);
    if (row.throttled) {
      ++telling;
      throttled += *row.throttled;
      for (const std::string& reason : throttle_reasons(row)) {
        ++reasons[reason];
      }
    }
  }
};

double share(int64_t part, int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

DeviceClocks figures_of(const std::string& device, const Columns& columns) {
  DeviceClocks clocks;
  clocks.device = device;
  clocks.samples = columns.samples;
  clocks.core_clock_p50_mhz = median(columns.core);
  clocks.core_clock_min_mhz = quantile(columns.core, 0);
  clocks.core_clock_max_mhz = quantile(columns.core, 1);
  clocks.memory_clock_p50_mhz = median(columns.memory);
  clocks.memory_clock_min_mhz = quantile(columns.memory, 0);
  clocks.power_p50_w = median(columns.power);
  clocks.power_max_w = quantile(columns.power, 1);
  clocks.temperature_max_c = quantile(columns.temperature, 1);
  clocks.busy_p50_pct = median(columns.busy);
  if (columns.telling > 0) {
    clocks.throttled_share = share(columns.throttled, columns.telling);
    for (const auto& [reason, count] : columns.reasons) {
      clocks.reason_shares[reason] = share(count, columns.telling);
    }
  }
  return clocks;
}

}  // namespace

std::vector<DeviceClocks> device_clocks(const std::vector<std::string>& devices, std::span<const GpuSampleRow> samples,
                                        std::span<const MeasuredWindow> windows) {
  std::map<std::string, Columns> by_device;
  std::map<std::string, int64_t> outside;
  for (const std::string& device : devices) {
    by_device.try_emplace(device);
  }
  for (const GpuSampleRow& row : samples) {
    const bool within = std::any_of(windows.begin(), windows.end(), [&](const MeasuredWindow& window) {
      return row.t_ns >= window.start_ns && row.t_ns <= window.end_ns;
    });
    Columns& columns = by_device[row.device];
    if (within) {
      columns.add(row);
    } else {
      ++outside[row.device];
    }
  }
  std::vector<DeviceClocks> all;
  for (const auto& [device, columns] : by_device) {
    all.push_back(figures_of(device, columns));
    if (columns.samples == 0) {
      all.back().no_data =
          outside[device] == 0
              ? "no sample was taken"
              : fmt::format("none of {} samples fell within the measured iterations: more --iterations",
                            outside[device]);
    }
  }
  return all;
}

}  // namespace aaco
