// SPDX-License-Identifier: MIT
#include "observe/telemetry/amdsmi/amdsmi_library.h"

#include <algorithm>
#include <cstddef>
#include <dlfcn.h>
#include <fmt/format.h>

namespace aaco::amdsmi {

namespace {

static_assert(offsetof(Metrics, energy) == 24 && offsetof(Metrics, core_clock) == 54 &&
              offsetof(Metrics, independent_throttle_status) == 112 && offsetof(Metrics, current_power) == 120);

constexpr const char* kRemedy = "install amd-smi of ROCm, or check it with amd-smi list";
constexpr uint32_t kMostHandles = 64;

template <class F>
bool find(void* library, F*& function, const char* name) {
  function = reinterpret_cast<F*>(::dlsym(library, name));
  return function != nullptr;
}

// The first needed function that is missing; null: none is.
const char* find_all(void* library, Functions& functions) {
  const char* missing = nullptr;
  const auto take = [&](auto*& function, const char* name) {
    if (!find(library, function, name) && missing == nullptr) {
      missing = name;
    }
  };
  take(functions.init, "amdsmi_init");
  take(functions.shut_down, "amdsmi_shut_down");
  take(functions.status_text, "amdsmi_status_code_to_string");
  take(functions.sockets, "amdsmi_get_socket_handles");
  take(functions.processors, "amdsmi_get_processor_handles");
  take(functions.bdf, "amdsmi_get_gpu_device_bdf");
  take(functions.metrics, "amdsmi_get_gpu_metrics_info");
  find(library, functions.memory_use, "amdsmi_get_gpu_vram_usage");
  find(library, functions.power_cap, "amdsmi_get_power_cap_info");
  find(library, functions.energy, "amdsmi_get_energy_count");
  find(library, functions.errors, "amdsmi_get_gpu_total_ecc_count");
  return missing;
}

// amdsmi_bdf_t: function in the 3 lowest bits, device in 5, bus in 8, domain above.
std::string address_of(uint64_t bdf) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{}", bdf >> 16, bdf >> 8 & 0xff, bdf >> 3 & 0x1f, bdf & 7);
}

}  // namespace

Result<Library> Library::open(const std::string& file) {
  Library library;
  library.handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.handle_ == nullptr) {
    return Error{ErrorKind::kUnavailable, fmt::format("GPU telemetry: {} cannot be opened", file), kRemedy};
  }
  if (const char* missing = find_all(library.handle_, library.functions_)) {
    return Error{ErrorKind::kUnavailable, fmt::format("GPU telemetry: {} has no {}", file, missing),
                 "install a newer amd-smi of ROCm"};
  }
  if (const uint32_t status = library.functions_.init(kInitGpus); status != kSuccess) {
    return library.failure("amdsmi_init", status);
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
    functions_.shut_down();
  }
  if (handle_ != nullptr) {
    ::dlclose(handle_);
  }
}

std::string Library::words(const std::string& what, uint32_t status) const {
  const char* words = nullptr;
  const bool told = functions_.status_text(status, &words) == kSuccess && words != nullptr;
  return fmt::format("{} failed: {} ({})", what, told ? words : "unknown", status);
}

Error Library::failure(const std::string& what, uint32_t status) const {
  return {ErrorKind::kUnavailable, "GPU telemetry: " + words(what, status), kRemedy};
}

Result<std::vector<std::pair<std::string, Handle>>> Library::devices(const std::vector<std::string>& addresses) const {
  std::vector<std::pair<std::string, Handle>> devices;
  std::array<Handle, kMostHandles> sockets{};
  uint32_t socket_count = kMostHandles;
  if (const uint32_t status = functions_.sockets(&socket_count, sockets.data()); status != kSuccess) {
    return failure("amdsmi_get_socket_handles", status);
  }
  for (uint32_t i = 0; i < std::min(socket_count, kMostHandles); ++i) {
    std::array<Handle, kMostHandles> processors{};
    uint32_t count = kMostHandles;
    if (const uint32_t status = functions_.processors(sockets[i], &count, processors.data()); status != kSuccess) {
      return failure("amdsmi_get_processor_handles", status);
    }
    for (uint32_t j = 0; j < std::min(count, kMostHandles); ++j) {
      uint64_t bdf = 0;
      if (const uint32_t status = functions_.bdf(processors[j], &bdf); status != kSuccess) {
        return failure("amdsmi_get_gpu_device_bdf", status);
      }
      const std::string address = address_of(bdf);
      if (addresses.empty() || std::ranges::find(addresses, address) != addresses.end()) {
        devices.emplace_back(address, processors[j]);
      }
    }
  }
  for (const std::string& address : addresses) {
    if (std::ranges::none_of(devices, [&](const auto& device) { return device.first == address; })) {
      return Error{ErrorKind::kUnavailable, fmt::format("GPU telemetry: amd-smi sees no device {}", address), kRemedy};
    }
  }
  if (devices.empty()) {
    return Error{ErrorKind::kUnavailable, "GPU telemetry: amd-smi sees no device", kRemedy};
  }
  return devices;
}

}  // namespace aaco::amdsmi
