// SPDX-License-Identifier: MIT
#include "observe/telemetry/nvml/nvml_sampler.h"

#include <fmt/format.h>
#include <utility>

#include "observe/telemetry/nvml/nvml_device.h"
#include "observe/telemetry/nvml/nvml_processes.h"

namespace aaco {

namespace {

constexpr const char* kPlane = "telemetry_gpu";
// Processes come and go slowly, and listing them costs more than a sample.
constexpr int64_t kProcessPeriodNs = 1'000'000'000;

class NvmlSampler final : public Collector {
 public:
  NvmlSampler(CollectorOptions options, nvml::Library library,
              const std::vector<std::pair<std::string, nvml::Device>>& devices)
      : options_(std::move(options)), library_(std::move(library)) {
    for (const auto& [address, device] : devices) {
      devices_.emplace_back(library_, account_, address, device);
      add_slices(address, device);
    }
  }

  void sample() override {
    const bool with_processes = !listed_ns_ || options_.now_ns() - *listed_ns_ >= kProcessPeriodNs;
    if (with_processes) {
      listed_ns_ = options_.now_ns();
    }
    for (nvml::DeviceReader& device : devices_) {
      sample(device, account_, with_processes);
    }
    for (nvml::DeviceReader& slice : slices_) {
      sample(slice, slice_account_, with_processes);
    }
  }

  CollectorPlane plane() const override {
    std::vector<PlaneColumn> columns = account_.columns();
    if (!slices_.empty()) {
      const std::vector<PlaneColumn> of_slices = slice_account_.columns();
      for (size_t i = 0; i < columns.size(); ++i) {
        if (!of_slices[i].unread.empty()) {
          columns[i].unread += (columns[i].unread.empty() ? "" : "; ") + ("MIG slices: " + of_slices[i].unread);
        }
      }
    }
    const std::vector<PlaneColumn> of_processes = process_account_.columns();
    columns.insert(columns.end(), of_processes.begin(), of_processes.end());
    return {kPlane, std::move(columns)};
  }

 private:
  // The slices that are there now; one that is made later is not sampled.
  void add_slices(const std::string& address, nvml::Device device) {
    const nvml::Functions& call = library_.call();
    unsigned mode = 0, pending = 0, count = 0;
    if (call.mig_mode == nullptr || call.mig_count == nullptr || call.mig_device == nullptr ||
        call.gpu_instance == nullptr || call.compute_instance == nullptr ||
        call.mig_mode(device, &mode, &pending) != nvml::kSuccess || mode != 1 ||
        call.mig_count(device, &count) != nvml::kSuccess) {
      return;
    }
    for (unsigned i = 0; i < count; ++i) {
      nvml::Device slice = nullptr;
      unsigned gpu = 0, compute = 0;
      if (call.mig_device(device, i, &slice) == nvml::kSuccess && call.gpu_instance(slice, &gpu) == nvml::kSuccess &&
          call.compute_instance(slice, &compute) == nvml::kSuccess) {
        slices_.emplace_back(library_, slice_account_, fmt::format("{} mig {}/{}", address, gpu, compute), slice);
      }
    }
  }

  void sample(nvml::DeviceReader& device, PlaneAccount<GpuSampleRow>& account, bool with_processes) {
    GpuSampleRow row;
    row.t_ns = options_.now_ns();
    row.device = device.address();
    row.vendor = gpu_vendor::kNvidia;
    device.read(row, options_.wall_ns());
    if (with_processes) {
      row.processes = push_processes(device);
    }
    row.read_ns = options_.now_ns() - row.t_ns;
    account.take(row);
    options_.sinks.push(row);
  }

  std::optional<int64_t> push_processes(const nvml::DeviceReader& device) {
    auto processes = nvml::processes_on(library_, device.device(), options_.root, process_account_);
    if (!processes) {
      account_.unread("processes", "NVML gives no list of processes");
      return std::nullopt;
    }
    for (GpuProcessRow& row : *processes) {
      row.t_ns = *listed_ns_;
      row.device = device.address();
      process_account_.take(row);
      options_.sinks.push(row);
    }
    return static_cast<int64_t>(processes->size());
  }

  CollectorOptions options_;
  PlaneAccount<GpuSampleRow> account_, slice_account_;
  PlaneAccount<GpuProcessRow> process_account_;
  nvml::Library library_;  // before the readers, which free what they have of it
  std::vector<nvml::DeviceReader> devices_, slices_;
  std::optional<int64_t> listed_ns_;
};

Result<std::unique_ptr<Collector>> make_nvml_sampler(CollectorOptions options) {
  AACO_ASSIGN(nvml::Library library, nvml::Library::open(options.nvml_library));
  AACO_ASSIGN(auto devices, library.devices(options.gpus));
  return std::unique_ptr<Collector>(std::make_unique<NvmlSampler>(std::move(options), std::move(library), devices));
}

}  // namespace

CollectorInfo nvml_collector() {
  return {
      "nvml",
      "clocks, power, temperatures, use, memory, traffic, errors and what throttles NVIDIA GPUs, from NVML",
      "Samples clocks (now, asked for, highest), board power, its cap and the energy counter, temperatures, use, "
      "memory, PCIe and NVLink traffic, ECC counts and the clock event reasons of each device and MIG slice; once a "
      "second the processes on it; on Hopper and newer the use of SMs, tensor cores and memory bandwidth (GPM). "
      "Power is a mean over up to a second on some devices, use one over the driver's own window. What happens "
      "between two samples is not seen.",
      "libnvidia-ml.so.1, which comes with NVIDIA's driver",
      kPlane,
      {RowSchema<GpuSampleRow>::kName, RowSchema<GpuProcessRow>::kName},
      make_nvml_sampler};
}

}  // namespace aaco
