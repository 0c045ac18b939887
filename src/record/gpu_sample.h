// SPDX-License-Identifier: MIT
// One sample of a GPU's clocks, power and what held the clocks down, as a sampler takes it. What could not be read is
// null.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/table.h"

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
  std::optional<int64_t> read_ns;
  std::optional<int64_t> age_ns;
  std::optional<double> core_clock_target_mhz;
  std::optional<double> core_clock_max_mhz;
  std::optional<double> memory_clock_max_mhz;
  std::optional<double> power_cap_w;
  std::optional<double> energy_j;
  std::optional<double> hotspot_c;
  std::optional<double> memory_temperature_c;
  std::optional<double> memory_busy_pct;
  std::optional<int64_t> memory_used_bytes;
  std::optional<int64_t> memory_total_bytes;
  std::optional<double> pcie_receive_bytes_s;
  std::optional<double> pcie_send_bytes_s;
  std::optional<int64_t> link_receive_bytes;
  std::optional<int64_t> link_send_bytes;
  std::optional<int64_t> ecc_corrected;
  std::optional<int64_t> ecc_uncorrected;
  std::optional<double> sm_busy_pct;
  std::optional<double> sm_occupancy_pct;
  std::optional<double> tensor_busy_pct;
  std::optional<double> memory_bandwidth_pct;
  std::optional<int64_t> processes;
};

// Sets the bits, their names and whether any of them holds the clocks below what the work asked for.
void set_clock_events(GpuSampleRow& row, uint64_t bits);
// Sets names of reasons that hold the clocks down, for a source that tells them otherwise than by bits; none: nothing
// does.
void set_throttle_names(GpuSampleRow& row, const std::vector<std::string>& names);
// The names of those bits of a vendor that hold the clocks down, in the order of the bits.
std::vector<std::string> throttle_reasons(const std::string& vendor, uint64_t bits);
// The names of what held the clocks down at this sample, by bits or by name.
std::vector<std::string> throttle_reasons(const GpuSampleRow& row);

template <>
struct RowSchema<GpuSampleRow> {
  static constexpr const char* kName = "gpu_samples";
  static constexpr const char* kMeaning = "device telemetry, one row per sample and device";
  template <class R = GpuSampleRow>
  static auto columns() {
    return std::tuple{
        row_column("t_ns", &R::t_ns, "ns", "time of the sample, session time"),
        row_column("device", &R::device, "",
                   "PCI address; of a MIG slice, then \" mig GI/CI\"; of a partition, then \" xcp N\""),
        row_column("vendor", &R::vendor, "", "nvidia (NVML) or amd (sysfs, amd-smi)"),
        row_column("core_clock_mhz", &R::core_clock_mhz, "MHz", "clock of the SMs or compute units now"),
        row_column("memory_clock_mhz", &R::memory_clock_mhz, "MHz", "clock of the memory now"),
        row_column("power_w", &R::power_w, "W", "power of the board; a mean over up to a second on some"),
        row_column("temperature_c", &R::temperature_c, "C",
                   "of the chip (amd: its edge sensor, where it has none the hotspot)"),
        row_column("busy_pct", &R::busy_pct, "%", "time in which anything ran, by the driver's own window"),
        row_column("clock_event_bits", &R::clock_event_bits, "1",
                   "nvidia: NVML's clock event reasons; amd: indep_throttle_status of gpu_metrics 1.3 and 2.2 to 2.4"),
        row_column("clock_events", &R::clock_events, "", "names of these, ; between them; empty: none"),
        row_column("throttled", &R::throttled, "1",
                   "1: one of them holds the clock down (power, heat, current); else 0"),
        row_column("read_ns", &R::read_ns, "ns", "how long reading this row took, from t_ns on"),
        row_column("age_ns", &R::age_ns, "ns",
                   "how old the figures were when read, where the source tells its own time; null: it does not"),
        row_column("core_clock_target_mhz", &R::core_clock_target_mhz, "MHz",
                   "core clock that was asked for: the applications clock, or a limit that somebody set"),
        row_column("core_clock_max_mhz", &R::core_clock_max_mhz, "MHz", "highest core clock of the device"),
        row_column("memory_clock_max_mhz", &R::memory_clock_max_mhz, "MHz", "highest memory clock of the device"),
        row_column("power_cap_w", &R::power_cap_w, "W", "limit at which the device lowers its clocks"),
        row_column("energy_j", &R::energy_j, "J",
                   "energy counter of the device; only differences tell something, it starts with the driver"),
        row_column("hotspot_c", &R::hotspot_c, "C", "hottest sensor of the chip (amd: junction)"),
        row_column("memory_temperature_c", &R::memory_temperature_c, "C", "of the device memory"),
        row_column("memory_busy_pct", &R::memory_busy_pct, "%",
                   "time in which memory was read or written, by the driver's own window"),
        row_column("memory_used_bytes", &R::memory_used_bytes, "bytes", "device memory in use, by all processes"),
        row_column("memory_total_bytes", &R::memory_total_bytes, "bytes", "device memory there is"),
        row_column("pcie_receive_bytes_s", &R::pcie_receive_bytes_s, "bytes/s",
                   "over PCIe to the device, between the previous sample and this"),
        row_column("pcie_send_bytes_s", &R::pcie_send_bytes_s, "bytes/s", "over PCIe from the device, likewise"),
        row_column("link_receive_bytes", &R::link_receive_bytes, "bytes",
                   "counter of bytes over all NVLink or xGMI links to the device"),
        row_column("link_send_bytes", &R::link_send_bytes, "bytes", "likewise, from the device"),
        row_column("ecc_corrected", &R::ecc_corrected, "1",
                   "counter of memory errors that were corrected, since the driver started"),
        row_column("ecc_uncorrected", &R::ecc_uncorrected, "1", "likewise, not corrected"),
        row_column("sm_busy_pct", &R::sm_busy_pct, "%",
                   "of the SMs, between the previous sample and this (GPM, Hopper and newer)"),
        row_column("sm_occupancy_pct", &R::sm_occupancy_pct, "%", "warps of those possible, likewise"),
        row_column("tensor_busy_pct", &R::tensor_busy_pct, "%", "tensor cores, likewise"),
        row_column("memory_bandwidth_pct", &R::memory_bandwidth_pct, "%", "memory bandwidth of the possible, likewise"),
        row_column("processes", &R::processes, "1", "processes that have a context on the device")};
  }
};

}  // namespace aaco
