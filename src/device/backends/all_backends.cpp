// SPDX-License-Identifier: MIT
#include <array>
#include <charconv>
#include <fmt/format.h>

#include "device/backend.h"
#include "device/backends/module_backend.h"
#include "device/cpu/blas.h"
#include "device/cpu/cpu_backend.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

// Never destroyed: streams may live as long as the process.
CpuBackend& cpu_backend() {
  static auto* const backend = new CpuBackend({size_of_args, name_of, run_on_cpu, cpu::gemm_library().c_str()});
  return *backend;
}

ModuleBackend& cuda_backend() {
  static auto* const backend = new ModuleBackend(cuda_vendor());
  return *backend;
}

ModuleBackend& hip_backend() {
  static auto* const backend = new ModuleBackend(hip_vendor());
  return *backend;
}

std::string what_there_is() {
  std::string list;
  for (Backend* backend : all_backends()) {
    const auto count = backend->device_count();
    list += list.empty() ? "there is " : ", ";
    list += !count        ? fmt::format("no {} ({})", backend->name(), count.error().message)
            : *count == 1 ? fmt::format("{0}:0", backend->name())
                          : fmt::format("{0}:0 to {0}:{1}", backend->name(), *count - 1);
  }
  return list;
}

Error no_such_device(const std::string& id) {
  return {ErrorKind::kUsage, fmt::format("no device \"{}\"", id), what_there_is()};
}

struct DevicePlace {
  Backend* backend = nullptr;
  int index = 0;
};

Result<DevicePlace> place_of(const std::string& id) {
  DevicePlace place;
  AACO_ASSIGN(place.backend, backend_of(id));
  if (const size_t colon = id.find(':'); colon != std::string::npos) {
    const char* const end = id.data() + id.size();
    const auto parsed = std::from_chars(id.data() + colon + 1, end, place.index);
    if (parsed.ec != std::errc{} || parsed.ptr != end || place.index < 0) {
      return no_such_device(id);
    }
  }
  return place;
}

}  // namespace

std::span<Backend* const> all_backends() {
  static const std::array<Backend*, 3> backends = {&cpu_backend(), &cuda_backend(), &hip_backend()};
  return backends;
}

Result<Backend*> backend_of(const std::string& id) {
  const std::string name = id.substr(0, id.find(':'));
  for (Backend* backend : all_backends()) {
    if (name == backend->name()) {
      return backend;
    }
  }
  return no_such_device(id);
}

Result<Device*> open_device(const std::string& id) {
  AACO_ASSIGN(const DevicePlace place, place_of(id));
  return place.backend->open(place.index);
}

Result<void> expect_device(const std::string& id) {
  AACO_ASSIGN(const DevicePlace place, place_of(id));
  if (place.backend == &cpu_backend()) {
    AACO_TRY(place.backend->open(place.index));
    return {};
  }
  AACO_ASSIGN(const int count, place.backend->device_count());
  return place.index < count ? Result<void>() : no_such_device(id);
}

}  // namespace aaco
