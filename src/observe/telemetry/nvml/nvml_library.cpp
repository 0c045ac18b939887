// SPDX-License-Identifier: MIT
#include "observe/telemetry/nvml/nvml_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <utility>

namespace aaco::nvml {

namespace {

constexpr const char* kRemedy = "install NVIDIA's driver, or check it with nvidia-smi";

template <class F>
bool find(void* library, F*& function, const char* name) {
  function = reinterpret_cast<F*>(::dlsym(library, name));
  return function != nullptr;
}

// Of newer drivers; what an older one lacks is null.
void find_optional(void* library, Functions& functions) {
  find(library, functions.max_clock, "nvmlDeviceGetMaxClockInfo");
  find(library, functions.target_clock, "nvmlDeviceGetApplicationsClock");
  find(library, functions.power_limit_mw, "nvmlDeviceGetEnforcedPowerLimit");
  find(library, functions.energy_mj, "nvmlDeviceGetTotalEnergyConsumption");
  find(library, functions.temperature_v1, "nvmlDeviceGetTemperatureV");
  find(library, functions.memory_v1, "nvmlDeviceGetMemoryInfo");
  find(library, functions.memory_v2, "nvmlDeviceGetMemoryInfo_v2");
  find(library, functions.ecc_errors, "nvmlDeviceGetTotalEccErrors");
  find(library, functions.fields, "nvmlDeviceGetFieldValues");
  find(library, functions.compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  find(library, functions.graphics_processes, "nvmlDeviceGetGraphicsRunningProcesses_v3");
  find(library, functions.mps_processes, "nvmlDeviceGetMPSComputeRunningProcesses_v3");
  find(library, functions.mig_mode, "nvmlDeviceGetMigMode");
  find(library, functions.mig_count, "nvmlDeviceGetMaxMigDeviceCount");
  find(library, functions.mig_device, "nvmlDeviceGetMigDeviceHandleByIndex");
  find(library, functions.gpu_instance, "nvmlDeviceGetGpuInstanceId");
  find(library, functions.compute_instance, "nvmlDeviceGetComputeInstanceId");
  find(library, functions.gpm_support, "nvmlGpmQueryDeviceSupport");
  find(library, functions.gpm_alloc, "nvmlGpmSampleAlloc");
  find(library, functions.gpm_free, "nvmlGpmSampleFree");
  find(library, functions.gpm_sample, "nvmlGpmSampleGet");
  find(library, functions.gpm_metrics, "nvmlGpmMetricsGet");
}

// The first function that is missing; null: none is.
const char* find_all(void* library, Functions& functions) {
  const char* missing = nullptr;
  const auto take = [&](auto*& function, const char* name) {
    if (!find(library, function, name) && missing == nullptr) {
      missing = name;
    }
  };
  take(functions.init, "nvmlInit_v2");
  take(functions.shutdown, "nvmlShutdown");
  take(functions.error_string, "nvmlErrorString");
  take(functions.device_count, "nvmlDeviceGetCount_v2");
  take(functions.device_by_index, "nvmlDeviceGetHandleByIndex_v2");
  take(functions.device_by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
  take(functions.pci_info, "nvmlDeviceGetPciInfo_v3");
  take(functions.clock, "nvmlDeviceGetClockInfo");
  take(functions.power_mw, "nvmlDeviceGetPowerUsage");
  take(functions.temperature, "nvmlDeviceGetTemperature");
  take(functions.utilization, "nvmlDeviceGetUtilizationRates");
  // The second is the name that drivers before 535 have.
  if (!find(library, functions.clock_events, "nvmlDeviceGetCurrentClocksEventReasons")) {
    find(library, functions.clock_events, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  find_optional(library, functions);
  return missing;
}

std::string address_of(const PciInfo& info) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", info.domain, info.bus, info.device);
}

}  // namespace

Result<Library> Library::open(const std::string& file) {
  Library library;
  // It stays mapped: the driver may keep calls into it beyond nvmlShutdown. On an H200 a guard's check that had opened
  // and closed it for each pair of sessions ended by SIGSEGV; that unmapping was the cause is likely, not shown.
  library.handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library.handle_ == nullptr) {
    return Error{ErrorKind::kUnavailable, fmt::format("GPU telemetry: {} cannot be opened", file), kRemedy};
  }
  if (const char* missing = find_all(library.handle_, library.functions_)) {
    return Error{ErrorKind::kUnavailable, fmt::format("GPU telemetry: {} has no {}", file, missing),
                 "install a newer driver of NVIDIA"};
  }
  if (const int status = library.functions_.init(); status != kSuccess) {
    return library.failure("nvmlInit_v2", status);
  }
  library.started_ = true;
  return library;
}

Library::Library(Library&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      started_(std::exchange(other.started_, false)),
      functions_(other.functions_) {}

Library::~Library() {
  if (started_) {
    functions_.shutdown();
  }
  if (handle_ != nullptr) {
    ::dlclose(handle_);
  }
}

std::string Library::words(const std::string& what, int status) const {
  const char* words = functions_.error_string(status);
  return fmt::format("{} failed: {} ({})", what, words == nullptr ? "unknown" : words, status);
}

Error Library::failure(const std::string& what, int status) const {
  return {ErrorKind::kUnavailable, "GPU telemetry: " + words(what, status), kRemedy};
}

Result<std::vector<std::pair<std::string, Device>>> Library::devices(const std::vector<std::string>& addresses) const {
  std::vector<std::pair<std::string, Device>> devices;
  for (const std::string& address : addresses) {
    Device device = nullptr;
    if (const int status = functions_.device_by_pci(address.c_str(), &device); status != kSuccess) {
      return failure("nvmlDeviceGetHandleByPciBusId_v2 of " + address, status);
    }
    devices.emplace_back(address, device);
  }
  if (!addresses.empty()) {
    return devices;
  }
  unsigned count = 0;
  if (const int status = functions_.device_count(&count); status != kSuccess) {
    return failure("nvmlDeviceGetCount_v2", status);
  }
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    PciInfo info{};
    if (const int status = functions_.device_by_index(i, &device); status != kSuccess) {
      return failure(fmt::format("nvmlDeviceGetHandleByIndex_v2 of {}", i), status);
    }
    if (const int status = functions_.pci_info(device, &info); status != kSuccess) {
      return failure(fmt::format("nvmlDeviceGetPciInfo_v3 of {}", i), status);
    }
    devices.emplace_back(address_of(info), device);
  }
  if (devices.empty()) {
    return Error{ErrorKind::kUnavailable, "GPU telemetry: NVML sees no device", kRemedy};
  }
  return devices;
}

}  // namespace aaco::nvml
