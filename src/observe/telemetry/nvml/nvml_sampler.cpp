// SPDX-License-Identifier: MIT
#include "observe/telemetry/nvml/nvml_sampler.h"

#include <utility>

#include "observe/telemetry/nvml/nvml_library.h"

namespace aaco {

namespace {

class NvmlSampler final : public Collector {
 public:
  NvmlSampler(CollectorOptions options, nvml::Library library,
              std::vector<std::pair<std::string, nvml::Device>> devices)
      : options_(std::move(options)), library_(std::move(library)), devices_(std::move(devices)) {}

  void sample() override {
    for (const auto& [address, device] : devices_) {
      GpuSampleRow row;
      row.t_ns = options_.now_ns();
      row.device = address;
      row.vendor = gpu_vendor::kNvidia;
      row.core_clock_mhz = clock_of(device, nvml::kClockSm);
      row.memory_clock_mhz = clock_of(device, nvml::kClockMemory);
      take(row, device);
      if (options_.on_gpu_row) {
        options_.on_gpu_row(row);
      }
    }
  }

 private:
  std::optional<double> clock_of(nvml::Device device, nvml::ClockType type) const {
    unsigned mhz = 0;
    return library_.call().clock(device, type, &mhz) == nvml::kSuccess ? std::optional<double>(mhz) : std::nullopt;
  }

  void take(GpuSampleRow& row, nvml::Device device) const {
    const nvml::Functions& call = library_.call();
    unsigned value = 0;
    if (call.power_mw(device, &value) == nvml::kSuccess) {
      row.power_w = value / 1000.0;
    }
    if (call.temperature(device, nvml::kTemperatureOfChip, &value) == nvml::kSuccess) {
      row.temperature_c = value;
    }
    nvml::Utilization utilization{};
    if (call.utilization(device, &utilization) == nvml::kSuccess) {
      row.busy_pct = utilization.gpu;
    }
    unsigned long long bits = 0;
    if (call.clock_events != nullptr && call.clock_events(device, &bits) == nvml::kSuccess) {
      set_clock_events(row, bits);
    }
  }

  CollectorOptions options_;
  nvml::Library library_;
  std::vector<std::pair<std::string, nvml::Device>> devices_;
};

Result<std::unique_ptr<Collector>> make_nvml_sampler(CollectorOptions options) {
  AACO_ASSIGN(nvml::Library library, nvml::Library::open(options.nvml_library));
  AACO_ASSIGN(auto devices, library.devices(options.gpus));
  return std::unique_ptr<Collector>(
      std::make_unique<NvmlSampler>(std::move(options), std::move(library), std::move(devices)));
}

}  // namespace

CollectorInfo nvml_collector() {
  return {"nvml", "clocks, power, temperature, use and what throttles NVIDIA GPUs, from NVML",
          "Samples the SM and memory clocks, board power, temperature, use and the clock event reasons of each device. "
          "Power is a mean over up to a second on some devices, use one over the driver's own window. What happens "
          "between two samples is not seen.",
          "libnvidia-ml.so.1, which comes with NVIDIA's driver", make_nvml_sampler};
}

}  // namespace aaco
