// SPDX-License-Identifier: MIT
#include "kind/model_run/worker/device_roofs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/clock.h"
#include "device/backend.h"
#include "engine/roofs/memory_roof.h"
#include "engine/roofs/product_roof.h"

namespace aaco {

namespace {

constexpr int64_t kArrayBytes = int64_t{1} << 29;  // ten times the last-level cache of today's largest devices
// Names as `precision_executed` has them; the second is what CUDA's provider may do by default.
struct NamedPrecision {
  const char* name;
  Precision precision;
};
constexpr std::array kPrecisions{NamedPrecision{"fp32", {Dtype::kF32, MathMode::kF32}},
                                 NamedPrecision{"fp32 (tf32 allowed)", {Dtype::kF32, MathMode::kTf32}},
                                 NamedPrecision{"bf16", {Dtype::kBf16, MathMode::kF32}},
                                 NamedPrecision{"fp16", {Dtype::kF16, MathMode::kF32}}};

}  // namespace

std::string device_backend(const std::string& backend) {
  if (backend == "cuda" || backend == "tensorrt") {
    return "cuda";
  }
  return backend == "migraphx" || backend == "rocm" ? "hip" : "";
}

Result<Roofs> measure_device_roofs(const std::string& backend, const std::map<std::string, std::string>& options) {
  const std::string devices = device_backend(backend);
  if (devices.empty()) {
    return Error{ErrorKind::kUnavailable, "the devices of backend " + backend + " are not known", ""};
  }
  const auto index = options.find("device_id");
  AACO_ASSIGN(Device * device, open_device(devices + ":" + (index == options.end() ? "0" : index->second)));
  Roofs roofs;
  roofs.device = device->properties().name;
  roofs.measured_at = format_utc(wall_clock_ns());
  for (const auto& [name, precision] : kPrecisions) {
    const auto product = measure_product_roof(*device, precision, name);
    if (product) {
      roofs.flops_per_s[name] = product->flops_per_s;
    } else if (product.error().kind == ErrorKind::kInterrupted) {
      return product.error();
    } else {
      roofs.unavailable[name] = product.error().message;
    }
  }
  AACO_ASSIGN(const MemoryRoof memory, measure_memory_roof(*device, kArrayBytes));
  roofs.bytes_per_s = memory.bytes_per_s;
  roofs.instructions["memory"] = memory.how;
  return roofs;
}

}  // namespace aaco
