// SPDX-License-Identifier: MIT
// What the amdgpu driver shows of a device below /sys, as rows: one of the device, and one of each partition where it
// is split. Files: the kernel's Documentation/gpu/amdgpu/thermal.rst (hwmon, gpu_busy_percent, pp_dpm_*, gpu_metrics).
#pragma once

#include <array>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "observe/telemetry/amdgpu/gpu_metrics.h"
#include "observe/telemetry/plane.h"
#include "observe/telemetry/proc_file.h"
#include "record/gpu_sample.h"

namespace aaco {

class AmdDevice {
 public:
  using Account = PlaneAccount<GpuSampleRow>;
  // `device`: its folder in /sys/bus/pci/devices.
  AmdDevice(std::string address, const std::filesystem::path& device);

  const std::string& address() const { return address_; }
  // `boot_ns`: CLOCK_BOOTTIME now, which the driver dates gpu_metrics by.
  std::vector<GpuSampleRow> sample(int64_t now_ns, int64_t boot_ns, ReadBuffer& buffer, Account& account);
  // Which columns no file of the driver is there for.
  void tell_unread(Account& account) const;

 private:
  // A file that may be there, and what it is called in a message.
  struct Source {
    std::string name;
    ProcFile file;
  };
  static Source source(const std::filesystem::path& folder, const std::string& name);
  // The number in it; none, with the column's reason, where it is there and cannot be read (a device that was removed,
  // or is being reset).
  std::optional<double> number(const Source& source, double scale, const char* column, ReadBuffer& buffer,
                               Account& account) const;
  std::optional<std::string_view> text(const Source& source, std::initializer_list<const char*> columns,
                                       ReadBuffer& buffer, Account& account) const;
  void read_files(GpuSampleRow& row, ReadBuffer& buffer, Account& account) const;
  void read_levels(GpuSampleRow& row, ReadBuffer& buffer, Account& account) const;
  void read_errors(GpuSampleRow& row, ReadBuffer& buffer, Account& account) const;
  std::optional<GpuMetrics> read_metrics(ReadBuffer& buffer, Account& account) const;
  void take(GpuSampleRow& row, const GpuMetrics& metrics, int64_t boot_ns, Account& account);

  std::string address_;
  Source core_hz_, memory_hz_, core_levels_, memory_levels_, power_average_uw_, power_uw_, power_cap_uw_, edge_mc_,
      hotspot_mc_, memory_mc_, busy_pct_, memory_busy_pct_, memory_used_, memory_total_, errors_, metrics_;
  std::optional<ThrottleResidency> residency_;  // of the previous sample
};

}  // namespace aaco
