// SPDX-License-Identifier: MIT
#include "engine/device_state.h"

#include "engine/telemetry.h"

namespace aaco {

DeviceStateReader::DeviceStateReader(const DeviceProperties& device) {
  const auto id = gpu_collector_of(device.id.substr(0, device.id.find(':')));
  const CollectorInfo* const info = id && !device.pci.empty() ? find_collector(*id) : nullptr;
  if (info == nullptr) {
    return;
  }
  pci_ = device.pci;
  CollectorOptions options;
  options.gpus = {device.pci};
  options.sinks.set<GpuSampleRow>([this](std::span<const GpuSampleRow> rows) {
    if (!rows.empty() && rows.back().device == pci_) {  // and not a slice of it
      last_ = {rows.back().core_clock_mhz, rows.back().power_w};
    }
  });
  if (auto collector = info->make(std::move(options)); collector && (*collector)->start()) {
    collector_ = std::move(*collector);
  }
}

DeviceState DeviceStateReader::read() {
  last_ = {};
  if (collector_ != nullptr) {
    collector_->sample();
  }
  return last_;
}

}  // namespace aaco
