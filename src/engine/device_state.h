// SPDX-License-Identifier: MIT
// Clock and power of one device at this moment, asked for by the process that measures on it: what was timed in turns
// is comparable only where these stayed alike.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "device/device.h"
#include "observe/telemetry/collector.h"

namespace aaco {

struct DeviceState {
  std::optional<double> clock_mhz;
  std::optional<double> power_w;
};

class DeviceStateReader {
 public:
  // Of a CPU, and of a device whose driver does not tell, all that is read is empty.
  explicit DeviceStateReader(const DeviceProperties& device);
  DeviceStateReader(const DeviceStateReader&) = delete;
  DeviceStateReader& operator=(const DeviceStateReader&) = delete;

  DeviceState read();

 private:
  std::string pci_;
  std::unique_ptr<Collector> collector_;
  DeviceState last_;
};

}  // namespace aaco
