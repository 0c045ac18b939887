// SPDX-License-Identifier: MIT
// One sample of a GPU's clocks, power and what held the clocks down, as a sampler takes it. What could not be read is
// null.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/table.h"

namespace aaco {

namespace gpu_vendor {
inline constexpr const char* kNvidia = "nvidia";
inline constexpr const char* kAmd = "amd";
}  // namespace gpu_vendor

struct GpuSampleRow {
  int64_t t_ns = 0;
  std::string device;  // "0000:1b:00.0"
  std::string vendor;  // of gpu_vendor
  std::optional<double> core_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> power_w;
  std::optional<double> temperature_c;
  std::optional<double> busy_pct;
  std::optional<int64_t> clock_event_bits;
  std::optional<std::string> clock_events;
  std::optional<int64_t> throttled;
};

// Sets the bits, their names and whether any of them holds the clocks below what the work asked for.
void set_clock_events(GpuSampleRow& row, uint64_t bits);
// The names of those bits of a vendor that hold the clocks down, in the order of the bits.
std::vector<std::string> throttle_reasons(const std::string& vendor, uint64_t bits);

template <>
struct RowSchema<GpuSampleRow> {
  static constexpr const char* kName = "gpu_samples";
  static constexpr const char* kMeaning = "device telemetry, one row per sample and device";
  static auto columns() {
    using R = GpuSampleRow;
    return std::tuple{
        row_column("t_ns", &R::t_ns, "ns", "time of the sample, session time"),
        row_column("device", &R::device, "", "PCI address"),
        row_column("vendor", &R::vendor, "", "nvidia (NVML) or amd (sysfs)"),
        row_column("core_clock_mhz", &R::core_clock_mhz, "MHz", "clock of the SMs or compute units now"),
        row_column("memory_clock_mhz", &R::memory_clock_mhz, "MHz", "clock of the memory now"),
        row_column("power_w", &R::power_w, "W", "power of the board; a mean over up to a second on some"),
        row_column("temperature_c", &R::temperature_c, "C", "of the chip (amd: its edge sensor)"),
        row_column("busy_pct", &R::busy_pct, "%", "time in which anything ran, by the driver's own window"),
        row_column("clock_event_bits", &R::clock_event_bits, "1",
                   "nvidia: NVML's clock event reasons; amd: indep_throttle_status of gpu_metrics 1.3"),
        row_column("clock_events", &R::clock_events, "", "names of these, ; between them; empty: none"),
        row_column("throttled", &R::throttled, "1",
                   "1: one of them holds the clock down (power, heat, current); else 0")};
  }
};

}  // namespace aaco
