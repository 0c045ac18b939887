// SPDX-License-Identifier: MIT
#include "observe/telemetry/nvml/nvml_sampler.h"

#include <utility>

#include "observe/telemetry/nvml/nvml_library.h"
#include "trace/gpu_sample.h"

namespace aaco {

namespace {

constexpr const char* kPlane = "telemetry_gpu";

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
      row.core_clock_mhz = clock_of(device, nvml::kClockSm, "core_clock_mhz");
      row.memory_clock_mhz = clock_of(device, nvml::kClockMemory, "memory_clock_mhz");
      take(row, device);
      account_.take(row);
      options_.sinks.push(row);
    }
  }

  CollectorPlane plane() const override { return {kPlane, account_.columns()}; }

 private:
  // Whether the call worked; else the column says why not.
  bool worked(int status, const char* function, const char* column) {
    if (status != nvml::kSuccess) {
      account_.unread(column, library_.words(function, status));
    }
    return status == nvml::kSuccess;
  }

  std::optional<double> clock_of(nvml::Device device, nvml::ClockType type, const char* column) {
    unsigned mhz = 0;
    return worked(library_.call().clock(device, type, &mhz), "nvmlDeviceGetClockInfo", column)
               ? std::optional<double>(mhz)
               : std::nullopt;
  }

  void take(GpuSampleRow& row, nvml::Device device) {
    const nvml::Functions& call = library_.call();
    unsigned value = 0;
    if (worked(call.power_mw(device, &value), "nvmlDeviceGetPowerUsage", "power_w")) {
      row.power_w = value / 1000.0;
    }
    if (worked(call.temperature(device, nvml::kTemperatureOfChip, &value), "nvmlDeviceGetTemperature",
               "temperature_c")) {
      row.temperature_c = value;
    }
    nvml::Utilization utilization{};
    if (worked(call.utilization(device, &utilization), "nvmlDeviceGetUtilizationRates", "busy_pct")) {
      row.busy_pct = utilization.gpu;
    }
    take_clock_events(row, device);
  }

  void take_clock_events(GpuSampleRow& row, nvml::Device device) {
    const auto function = library_.call().clock_events;
    unsigned long long bits = 0;
    const int status = function == nullptr ? nvml::kNotSupported : function(device, &bits);
    if (status == nvml::kSuccess) {
      set_clock_events(row, bits);
      return;
    }
    for (const char* column : {"clock_event_bits", "clock_events", "throttled"}) {
      worked(status, "nvmlDeviceGetCurrentClocksEventReasons", column);
    }
  }

  CollectorOptions options_;
  PlaneAccount<GpuSampleRow> account_;
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
  return {"nvml",
          "clocks, power, temperature, use and what throttles NVIDIA GPUs, from NVML",
          "Samples the SM and memory clocks, board power, temperature, use and the clock event reasons of each device. "
          "Power is a mean over up to a second on some devices, use one over the driver's own window. What happens "
          "between two samples is not seen.",
          "libnvidia-ml.so.1, which comes with NVIDIA's driver",
          kPlane,
          {RowSchema<GpuSampleRow>::kName},
          make_nvml_sampler};
}

}  // namespace aaco
