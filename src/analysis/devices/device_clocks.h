// SPDX-License-Identifier: MIT
// What the devices' clocks did while a run measured, from samples of them:
//
//   clocks, power   median, lowest and highest of the samples within the measured iterations
//   throttled       share of these samples in which something held the clock down, with the names of what
//
// What it does not tell: anything shorter than the sampling period; which iteration was slow because of it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "record/gpu_sample.h"

namespace aaco {

// When the iterations of a process ran, in session time.
struct MeasuredWindow {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

struct DeviceClocks {
  std::string device;
  int64_t samples = 0;  // within the windows
  std::optional<double> core_clock_p50_mhz, core_clock_min_mhz, core_clock_max_mhz;
  std::optional<double> memory_clock_p50_mhz, memory_clock_min_mhz;
  std::optional<double> power_p50_w, power_max_w;
  std::optional<double> temperature_max_c;
  std::optional<double> busy_p50_pct;
  std::optional<double> throttled_share;        // of the samples that can tell
  std::map<std::string, double> reason_shares;  // of the same; several may hold at once
  std::string no_data;                          // why there is no figure at all
};

// By device, in the order of their addresses; `devices` that no sample is of are there with the reason.
std::vector<DeviceClocks> device_clocks(const std::vector<std::string>& devices, std::span<const GpuSampleRow> samples,
                                        std::span<const MeasuredWindow> windows);

void to_json(Json& json, const DeviceClocks& value);
void from_json(const Json& json, DeviceClocks& value);

}  // namespace aaco
