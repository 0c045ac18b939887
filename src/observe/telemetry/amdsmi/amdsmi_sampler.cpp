// SPDX-License-Identifier: MIT
#include "observe/telemetry/amdsmi/amdsmi_sampler.h"

#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "observe/telemetry/amdsmi/amdsmi_library.h"
#include "record/gpu_sample.h"

namespace aaco {

namespace {

constexpr const char* kPlane = "telemetry_gpu";
constexpr int64_t kMib = int64_t{1} << 20;

// What the library has no value for is all ones.
template <class T>
std::optional<double> number(T value) {
  return value == static_cast<T>(~T{0}) ? std::nullopt : std::optional(static_cast<double>(value));
}

std::optional<int64_t> integer(uint64_t value) {
  return value == ~uint64_t{0} ? std::nullopt : std::optional(static_cast<int64_t>(value));
}

class AmdSmiSampler final : public Collector {
 public:
  AmdSmiSampler(CollectorOptions options, amdsmi::Library library,
                std::vector<std::pair<std::string, amdsmi::Handle>> devices)
      : options_(std::move(options)), library_(std::move(library)), devices_(std::move(devices)) {}

  void sample() override {
    for (const auto& [address, device] : devices_) {
      GpuSampleRow row;
      row.t_ns = options_.now_ns();
      row.device = address;
      row.vendor = gpu_vendor::kAmd;
      read_metrics(row, device);
      read_memory(row, device);
      read_power_cap(row, device);
      read_energy(row, device);
      read_errors(row, device);
      row.read_ns = options_.now_ns() - row.t_ns;
      account_.take(row);
      options_.sinks.push(row);
    }
  }

  CollectorPlane plane() const override { return {kPlane, account_.columns()}; }

 private:
  // Whether the library has the function and it worked; else the columns say why not. `call` writes into buffer_.
  template <class Call, class... Arguments>
  bool worked(Call* call, const char* name, std::initializer_list<const char*> columns, Arguments... arguments) {
    buffer_->bytes.fill('\xff');
    const uint32_t status = call == nullptr ? amdsmi::kNotSupported : call(arguments...);
    if (status == amdsmi::kSuccess) {
      return true;
    }
    for (const char* column : columns) {
      account_.unread(column, call == nullptr ? fmt::format("amd-smi has no {}", name) : library_.words(name, status));
    }
    return false;
  }

  template <class T>
  T answer() const {
    T value;
    std::memcpy(&value, buffer_->bytes.data(), sizeof(value));
    return value;
  }

  void read_metrics(GpuSampleRow& row, amdsmi::Handle device) {
    const int64_t boot_ns = options_.boot_ns();
    if (!worked(library_.call().metrics, "amdsmi_get_gpu_metrics_info",
                {"core_clock_mhz", "memory_clock_mhz", "power_w", "temperature_c", "hotspot_c", "memory_temperature_c",
                 "busy_pct", "memory_busy_pct", "age_ns", "clock_event_bits", "clock_events", "throttled"},
                device, static_cast<void*>(buffer_->bytes.data()))) {
      return;
    }
    const auto metrics = answer<amdsmi::Metrics>();
    row.core_clock_mhz = number(metrics.core_clock);
    row.memory_clock_mhz = number(metrics.memory_clock);
    row.power_w = number(metrics.current_power);
    if (!row.power_w) {
      row.power_w = number(metrics.average_power);
    }
    row.hotspot_c = number(metrics.hotspot);
    row.temperature_c = number(metrics.edge);
    if (!row.temperature_c) {
      row.temperature_c = row.hotspot_c;
    }
    row.memory_temperature_c = number(metrics.memory);
    row.busy_pct = number(metrics.busy);
    row.memory_busy_pct = number(metrics.memory_busy);
    if (const auto made_ns = integer(metrics.boot_ns); made_ns && *made_ns > 0 && *made_ns <= boot_ns) {
      row.age_ns = boot_ns - *made_ns;
    }
    read_throttling(row, metrics);
  }

  // Of other tables than these the library leaves the field at ones, or at 0, which is not "nothing throttles".
  void read_throttling(GpuSampleRow& row, const amdsmi::Metrics& metrics) {
    const bool tells = (metrics.format == 1 && metrics.content == 3) ||
                       (metrics.format == 2 && metrics.content >= 2 && metrics.content <= 4);
    if (tells && metrics.independent_throttle_status != ~uint64_t{0}) {
      set_clock_events(row, metrics.independent_throttle_status);
      return;
    }
    for (const char* column : {"clock_event_bits", "clock_events", "throttled"}) {
      account_.unread(column, fmt::format("amd-smi gives no status that every chip shares for gpu_metrics {}.{}",
                                          metrics.format, metrics.content));
    }
  }

  void read_memory(GpuSampleRow& row, amdsmi::Handle device) {
    if (worked(library_.call().memory_use, "amdsmi_get_gpu_vram_usage", {"memory_used_bytes", "memory_total_bytes"},
               device, static_cast<void*>(buffer_->bytes.data()))) {
      const auto use = answer<amdsmi::MemoryUse>();
      const auto bytes = [](uint32_t mib) { return mib == ~0U ? std::nullopt : std::optional(int64_t{mib} * kMib); };
      row.memory_used_bytes = bytes(use.used_mib);
      row.memory_total_bytes = bytes(use.total_mib);
    }
  }

  void read_power_cap(GpuSampleRow& row, amdsmi::Handle device) {
    if (worked(library_.call().power_cap, "amdsmi_get_power_cap_info", {"power_cap_w"}, device, 0U,
               static_cast<void*>(buffer_->bytes.data()))) {
      if (const auto microwatts = number(answer<amdsmi::PowerCap>().cap_uw)) {
        row.power_cap_w = *microwatts * 1e-6;
      }
    }
  }

  void read_energy(GpuSampleRow& row, amdsmi::Handle device) {
    uint64_t count = ~uint64_t{0}, time = 0;
    float microjoules = 0;  // of a count
    if (worked(library_.call().energy, "amdsmi_get_energy_count", {"energy_j"}, device, &count, &microjoules, &time)) {
      if (count != ~uint64_t{0} && microjoules > 0) {
        row.energy_j = static_cast<double>(count) * static_cast<double>(microjoules) * 1e-6;
      } else {
        account_.unread("energy_j", "amdsmi_get_energy_count gave no count, or none of its unit");
      }
    }
  }

  void read_errors(GpuSampleRow& row, amdsmi::Handle device) {
    if (worked(library_.call().errors, "amdsmi_get_gpu_total_ecc_count", {"ecc_corrected", "ecc_uncorrected"}, device,
               static_cast<void*>(buffer_->bytes.data()))) {
      const auto errors = answer<amdsmi::ErrorCount>();
      row.ecc_corrected = integer(errors.corrected);
      row.ecc_uncorrected = integer(errors.uncorrected);
    }
  }

  CollectorOptions options_;
  PlaneAccount<GpuSampleRow> account_;
  amdsmi::Library library_;
  std::vector<std::pair<std::string, amdsmi::Handle>> devices_;
  std::unique_ptr<amdsmi::Buffer> buffer_ = std::make_unique<amdsmi::Buffer>();
};

Result<std::unique_ptr<Collector>> make_amdsmi_sampler(CollectorOptions options) {
  AACO_ASSIGN(amdsmi::Library library, amdsmi::Library::open(options.amdsmi_library));
  AACO_ASSIGN(auto devices, library.devices(options.gpus));
  return std::unique_ptr<Collector>(
      std::make_unique<AmdSmiSampler>(std::move(options), std::move(library), std::move(devices)));
}

}  // namespace

CollectorInfo amdsmi_collector() {
  return {"amdsmi",
          "clocks, power, temperatures, use, memory and errors of AMD GPUs, from AMD's library amd-smi",
          "Samples what the amdgpu collector does, but traffic, partitions and processes, where the driver's files in "
          "/sys cannot be read. What throttles is known where gpu_metrics is of version 1.3 or 2.2 to 2.4.",
          "libamd_smi.so, which comes with ROCm",
          kPlane,
          {RowSchema<GpuSampleRow>::kName},
          make_amdsmi_sampler};
}

}  // namespace aaco
