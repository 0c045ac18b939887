// SPDX-License-Identifier: MIT
// What NVML tells of a device, or of a MIG slice of it, as a row; what it does not tell is null, and the account of the
// columns has the reason.
#pragma once

#include <string>
#include <string_view>

#include "observe/telemetry/nvml/nvml_gpm.h"
#include "observe/telemetry/nvml/nvml_library.h"
#include "observe/telemetry/plane.h"
#include "observe/telemetry/rate.h"
#include "record/gpu_sample.h"

namespace aaco::nvml {

class DeviceReader {
 public:
  // `library` and `account` must outlive this.
  DeviceReader(const Library& library, PlaneAccount<GpuSampleRow>& account, std::string address, Device device);

  const std::string& address() const { return address_; }
  Device device() const { return device_; }
  // Fills all but the time, device and vendor of a row that has these. `realtime_ns`: the wall clock now, which NVML
  // dates its values by.
  void read(GpuSampleRow& row, int64_t realtime_ns);

 private:
  // Whether the call worked; else the columns say why not.
  bool worked(int status, std::string_view function, std::initializer_list<const char*> columns);
  // The value that a function writes, unless it fails or writes `sentinel`.
  template <class T, class Function, class... Arguments>
  std::optional<T> value(Function* function, const char* name, const char* column, T sentinel, Arguments... arguments);

  void read_clocks(GpuSampleRow& row);
  void read_power(GpuSampleRow& row);
  void read_use(GpuSampleRow& row);
  void read_memory(GpuSampleRow& row);
  void read_errors(GpuSampleRow& row);
  void read_clock_events(GpuSampleRow& row);
  void read_fields(GpuSampleRow& row, int64_t realtime_ns);
  void read_gpm(GpuSampleRow& row);
  std::optional<double> field(const FieldValue& value, std::initializer_list<const char*> columns);

  const Library& library_;
  PlaneAccount<GpuSampleRow>& account_;
  std::string address_;
  Device device_;
  Gpm gpm_;
  Rate pcie_receive_, pcie_send_;
};

}  // namespace aaco::nvml
