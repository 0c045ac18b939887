// SPDX-License-Identifier: MIT
// Files: the kernel's Documentation/gpu/amdgpu/thermal.rst (hwmon, gpu_busy_percent, pp_dpm_*, gpu_metrics).
#include "observe/telemetry/amdgpu/amdgpu_sampler.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "observe/telemetry/amdgpu/gpu_metrics.h"
#include "observe/telemetry/proc_file.h"
#include "trace/gpu_sample.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPlane = "telemetry_gpu";

// The device's hardware monitor, below it as hwmon/hwmon<n>.
fs::path monitor_of(const fs::path& device) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(device / "hwmon", error)) {
    return entry.path();
  }
  return device / "hwmon";
}

// The frequency of the line that is marked with a star: "1: 1700Mhz *".
std::optional<double> marked_mhz(std::string_view levels) {
  const size_t star = levels.find('*');
  if (star == std::string_view::npos) {
    return std::nullopt;
  }
  const size_t start = levels.rfind('\n', star);
  const std::string_view line = levels.substr(start == std::string_view::npos ? 0 : start + 1, star);
  const size_t colon = line.find(':');
  return colon == std::string_view::npos ? std::nullopt : NumberReader(line.substr(colon + 1)).real();
}

class AmdDevice {
 public:
  AmdDevice(std::string address, const fs::path& device)
      : address_(std::move(address)),
        core_hz_(monitor_of(device) / "freq1_input"),
        memory_hz_(monitor_of(device) / "freq2_input"),
        core_levels_(device / "pp_dpm_sclk"),
        memory_levels_(device / "pp_dpm_mclk"),
        power_average_uw_(monitor_of(device) / "power1_average"),
        power_uw_(monitor_of(device) / "power1_input"),
        temperature_mc_(monitor_of(device) / "temp1_input"),
        busy_pct_(device / "gpu_busy_percent"),
        metrics_(device / "gpu_metrics") {}

  GpuSampleRow sample(int64_t now_ns, ReadBuffer& buffer, PlaneAccount<GpuSampleRow>& account) const {
    GpuSampleRow row;
    row.t_ns = now_ns;
    row.device = address_;
    row.vendor = gpu_vendor::kAmd;
    row.core_clock_mhz = clock(core_hz_, core_levels_, buffer);
    row.memory_clock_mhz = clock(memory_hz_, memory_levels_, buffer);
    row.power_w = scaled(power_average_uw_, 1e-6, buffer);
    if (!row.power_w) {
      row.power_w = scaled(power_uw_, 1e-6, buffer);
    }
    row.temperature_c = scaled(temperature_mc_, 1e-3, buffer);
    row.busy_pct = scaled(busy_pct_, 1, buffer);
    if (const auto table = metrics_.read(buffer)) {
      if (const auto status = throttle_status_of(*table)) {
        set_clock_events(row, *status);
      } else {
        for (const char* column : {"clock_event_bits", "clock_events", "throttled"}) {
          account.unread(column, status.error().message);
        }
      }
    }
    return row;
  }

  // Which columns no file of the driver is there for.
  void tell_unread(PlaneAccount<GpuSampleRow>& account) const {
    const auto tell = [&](const char* column, const char* files, std::initializer_list<const ProcFile*> any) {
      if (std::none_of(any.begin(), any.end(), [](const ProcFile* file) { return file->is_open(); })) {
        account.unread(column, std::string("the driver shows no ") + files + " of " + address_);
      }
    };
    tell("core_clock_mhz", "freq1_input or pp_dpm_sclk", {&core_hz_, &core_levels_});
    tell("memory_clock_mhz", "freq2_input or pp_dpm_mclk", {&memory_hz_, &memory_levels_});
    tell("power_w", "power1_average or power1_input", {&power_average_uw_, &power_uw_});
    tell("temperature_c", "temp1_input", {&temperature_mc_});
    tell("busy_pct", "gpu_busy_percent", {&busy_pct_});
    for (const char* column : {"clock_event_bits", "clock_events", "throttled"}) {
      tell(column, "gpu_metrics", {&metrics_});
    }
  }

 private:
  static std::optional<double> scaled(const ProcFile& file, double scale, ReadBuffer& buffer) {
    const auto text = file.read(buffer);
    const auto number = text ? NumberReader(*text).real() : std::nullopt;
    return number ? std::optional(*number * scale) : std::nullopt;
  }
  // The level is what was asked for where the chip does not tell its clock.
  static std::optional<double> clock(const ProcFile& hz, const ProcFile& levels, ReadBuffer& buffer) {
    if (const auto mhz = scaled(hz, 1e-6, buffer)) {
      return mhz;
    }
    const auto text = levels.read(buffer);
    return text ? marked_mhz(*text) : std::nullopt;
  }

  std::string address_;
  ProcFile core_hz_, memory_hz_, core_levels_, memory_levels_, power_average_uw_, power_uw_, temperature_mc_, busy_pct_,
      metrics_;
};

class AmdSampler final : public Collector {
 public:
  AmdSampler(CollectorOptions options, std::vector<AmdDevice> devices)
      : options_(std::move(options)), devices_(std::move(devices)) {}

  void sample() override {
    for (const AmdDevice& device : devices_) {
      const GpuSampleRow row = device.sample(options_.now_ns(), buffer_, account_);
      account_.take(row);
      options_.sinks.push(row);
    }
  }

  CollectorPlane plane() const override {
    PlaneAccount<GpuSampleRow> account = account_;
    for (const AmdDevice& device : devices_) {
      device.tell_unread(account);
    }
    return {kPlane, account.columns()};
  }

 private:
  CollectorOptions options_;
  PlaneAccount<GpuSampleRow> account_;
  ReadBuffer buffer_;
  std::vector<AmdDevice> devices_;
};

// PCI addresses that the amdgpu driver serves.
std::vector<std::string> all_addresses(const fs::path& root) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / "sys/bus/pci/drivers/amdgpu", error)) {
    const std::string name = entry.path().filename();
    if (name.find(':') != std::string::npos) {
      found.push_back(name);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<std::unique_ptr<Collector>> make_amdgpu_sampler(CollectorOptions options) {
  const std::vector<std::string> addresses = options.gpus.empty() ? all_addresses(options.root) : options.gpus;
  if (addresses.empty()) {
    return Error{ErrorKind::kUnavailable, "GPU telemetry: the amdgpu driver serves no device",
                 "load the driver: modprobe amdgpu"};
  }
  std::vector<AmdDevice> devices;
  for (const std::string& address : addresses) {
    const fs::path device = options.root / "sys/bus/pci/devices" / address;
    std::error_code error;
    if (!fs::is_directory(device, error)) {
      return Error{ErrorKind::kUnavailable, "GPU telemetry: there is no " + device.string(),
                   "in a container, mount /sys of the host"};
    }
    devices.emplace_back(address, device);
  }
  return std::unique_ptr<Collector>(std::make_unique<AmdSampler>(std::move(options), std::move(devices)));
}

}  // namespace

CollectorInfo amdgpu_collector() {
  return {"amdgpu",
          "clocks, power, temperature, use and what throttles AMD GPUs, from sysfs",
          "Samples the core and memory clocks (where the chip does not tell, the level that was asked for), power, "
          "temperature and use. What throttles is known where gpu_metrics is of version 1.3 (MI200, RX 6000 and 7000), "
          "and null elsewhere. What happens between two samples is not seen.",
          "the amdgpu driver and its folder in /sys",
          kPlane,
          {RowSchema<GpuSampleRow>::kName},
          make_amdgpu_sampler};
}

}  // namespace aaco
