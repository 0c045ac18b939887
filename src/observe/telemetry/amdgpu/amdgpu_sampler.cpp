// SPDX-License-Identifier: MIT
#include "observe/telemetry/amdgpu/amdgpu_sampler.h"

#include <algorithm>
#include <map>
#include <utility>

#include "observe/telemetry/amdgpu/amdgpu_device.h"
#include "observe/telemetry/amdgpu/kfd_processes.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPlane = "telemetry_gpu";

// Processes come and go slowly.
constexpr int64_t kProcessPeriodNs = 1'000'000'000;

class AmdSampler final : public Collector {
 public:
  AmdSampler(CollectorOptions options, std::vector<AmdDevice> devices)
      : options_(std::move(options)), devices_(std::move(devices)), kfd_devices_(kfd_devices(options_.root)) {}

  void sample() override {
    const int64_t now_ns = options_.now_ns();
    const bool with_processes = !listed_ns_ || now_ns - *listed_ns_ >= kProcessPeriodNs;
    if (with_processes) {
      listed_ns_ = now_ns;
    }
    for (AmdDevice& device : devices_) {
      const int64_t start_ns = options_.now_ns();
      std::vector<GpuSampleRow> rows = device.sample(start_ns, options_.boot_ns(), buffer_, account_);
      if (with_processes) {
        rows.front().processes = push_processes(device.address());
      }
      rows.front().read_ns = options_.now_ns() - start_ns;
      account_.take(rows.front());
      for (const GpuSampleRow& row : rows) {
        options_.sinks.push(row);
      }
    }
  }

  CollectorPlane plane() const override {
    PlaneAccount<GpuSampleRow> account = account_;
    for (const AmdDevice& device : devices_) {
      device.tell_unread(account);
    }
    std::vector<PlaneColumn> columns = account.columns();
    const std::vector<PlaneColumn> of_processes = process_account_.columns();
    columns.insert(columns.end(), of_processes.begin(), of_processes.end());
    return {kPlane, std::move(columns)};
  }

 private:
  std::optional<int64_t> push_processes(const std::string& address) {
    const auto gpu_id = kfd_devices_.find(address);
    auto processes = gpu_id == kfd_devices_.end() ? std::nullopt : kfd_processes(options_.root, gpu_id->second);
    if (!processes) {
      account_.unread("processes", "AMD's compute driver shows no processes of " + address);
      process_account_.unread("process_id", "AMD's compute driver shows no processes of " + address);
      return std::nullopt;
    }
    for (GpuProcessRow& row : *processes) {
      row.t_ns = *listed_ns_;
      row.device = address;
      process_account_.take(row);
      options_.sinks.push(row);
    }
    return static_cast<int64_t>(processes->size());
  }

  CollectorOptions options_;
  PlaneAccount<GpuSampleRow> account_;
  PlaneAccount<GpuProcessRow> process_account_;
  ReadBuffer buffer_;
  std::vector<AmdDevice> devices_;
  std::map<std::string, std::string> kfd_devices_;
  std::optional<int64_t> listed_ns_;
};

// PCI addresses that the amdgpu driver serves.
std::vector<std::string> all_addresses(const fs::path& root) {
  std::vector<std::string> cards;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / "sys/bus/pci/drivers/amdgpu", error)) {
    const std::string name = entry.path().filename();
    if (name.find(':') != std::string::npos) {
      cards.push_back(name);
    }
  }
  std::sort(cards.begin(), cards.end());
  return cards;
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
  return {
      "amdgpu",
      "clocks, power, temperatures, use, memory, xGMI traffic, errors and what throttles AMD GPUs, from sysfs",
      "Samples clocks (where the chip does not tell one, the level that was asked for), power and its cap, the "
      "energy counter, temperatures, use, memory, xGMI traffic and memory errors, of each device and partition; once "
      "a second the processes on it. What throttles is known where gpu_metrics is of version 1.3 (MI200, RX 6000 "
      "and 7000), 1.6 to 1.8 (MI300 and newer) or 2.2 to 2.4, and null elsewhere. What happens between two samples "
      "is not seen.",
      "the amdgpu driver and its folder in /sys",
      kPlane,
      {RowSchema<GpuSampleRow>::kName, RowSchema<GpuProcessRow>::kName},
      make_amdgpu_sampler};
}

}  // namespace aaco
