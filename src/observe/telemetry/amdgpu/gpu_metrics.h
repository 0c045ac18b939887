// SPDX-License-Identifier: MIT
// The table of measurements that the amdgpu driver hands over as bytes in `gpu_metrics`. Its header tells size and
// version; the layouts are those of the kernel's drivers/gpu/drm/amd/include/kgd_pp_interface.h. A field that the
// driver left at ones has no value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace aaco {

// How long each cause held the clocks down, in the firmware's own cycles; all grow since the driver started.
struct ThrottleResidency {
  uint32_t cycles = 0;  // of the firmware's loop, altogether
  std::array<std::optional<uint32_t>, 5> held;
};
// In the order of `held`.
inline constexpr std::array kResidencyNames{"prochot", "power", "heat_socket", "heat_vr", "heat_hbm"};
// Those that held the clocks down between two readings; none: the counters did not move on, or started again.
std::optional<std::vector<std::string>> held_between(const ThrottleResidency& before, const ThrottleResidency& after);

struct GpuMetrics {
  int format = 0, content = 0;  // 1, 3
  std::optional<double> edge_c, hotspot_c, memory_c;
  std::optional<double> power_w;
  std::optional<double> busy_pct, memory_busy_pct;
  std::optional<double> energy_j;
  std::optional<int64_t> boot_ns;        // when the driver made the table, CLOCK_BOOTTIME
  std::optional<double> core_clock_mhz;  // mean of the chiplets that have one
  std::optional<double> memory_clock_mhz;
  std::optional<uint64_t> throttle_bits;       // indep_throttle_status, whose bits mean the same on every chip
  std::optional<ThrottleResidency> residency;  // of tables that have it instead
  std::string no_throttling;                   // why neither is there
  std::optional<int64_t> link_read_bytes, link_written_bytes;  // over all xGMI links
  std::vector<std::optional<double>> partition_busy_pct;       // where the device is split into more than one
};

// Errors: kUnavailable: a version that is not known, or a table of another size than its version has.
Result<GpuMetrics> gpu_metrics_of(std::string_view table);

}  // namespace aaco
