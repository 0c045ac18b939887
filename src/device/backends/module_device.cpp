// SPDX-License-Identifier: MIT
#include "device/backends/module_device.h"

#include <algorithm>
#include <fmt/format.h>

#include "device/backends/module_stream.h"

namespace aaco {

namespace {

ErrorKind kind_of(int32_t status) {
  switch (status) {
    case kAacoDevice:
    case kAacoMemory:
      return ErrorKind::kResource;
    case kAacoUnavailable:
      return ErrorKind::kUnavailable;
    case kAacoUsage:
      return ErrorKind::kUsage;
    default:
      return ErrorKind::kBug;
  }
}

std::string usual_remedy(int32_t status) {
  switch (status) {
    case kAacoMemory:
      return "use smaller sizes or fewer streams, or free the device's memory";
    case kAacoUnavailable:
      return "`aaco devices` says what this machine has";
    case kAacoUsage:
      return "see --help for what is possible";
    default:
      return "the device may have to be reset; the driver's log says more (dmesg)";
  }
}

int32_t plain(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kPinnedHost:
      return kAacoPinnedMemory;
    case MemoryKind::kCollective:
      return kAacoCollectiveMemory;
    case MemoryKind::kDevice:
      break;
  }
  return kAacoDeviceMemory;
}

class ModuleBuffer : public Buffer {
 public:
  ModuleBuffer(const AacoModule& module, void* device, MemoryCount& count, void* data, size_t bytes, MemoryKind kind)
      : module_(module), device_(device), count_(count), data_(data), bytes_(bytes), kind_(kind) {
    count_.add(kind, static_cast<int64_t>(bytes));
  }
  ~ModuleBuffer() override {
    module_.release(device_, plain(kind_), data_);
    count_.add(kind_, -static_cast<int64_t>(bytes_));
  }
  ModuleBuffer(const ModuleBuffer&) = delete;
  ModuleBuffer& operator=(const ModuleBuffer&) = delete;

  void* data() const override { return data_; }
  size_t bytes() const override { return bytes_; }

 private:
  const AacoModule& module_;
  void* device_;
  MemoryCount& count_;
  void* data_;
  size_t bytes_;
  MemoryKind kind_;
};

DeviceProperties properties_of(const AacoModule& module, int index, const AacoDeviceProperties& given) {
  DeviceProperties properties;
  properties.id = fmt::format("{}:{}", module.backend, index);
  properties.name = given.name;
  properties.architecture = given.architecture;
  properties.driver = given.driver;
  properties.runtime = given.runtime;
  properties.gemm_library = given.gemm_library;
  properties.conv_library = given.conv_library;
  properties.memory_bytes = given.memory_bytes;
  properties.compute_units = given.compute_units;
  properties.compute_unit = given.compute_unit;
  properties.wave_lanes = given.wave_lanes;
  properties.lowest_priority = given.lowest_priority;
  properties.highest_priority = given.highest_priority;
  properties.pci = given.pci;
  return properties;
}

}  // namespace

Error module_error(const AacoModule& module, int32_t status, std::string what_to_do) {
  std::string text = module.failure();
  if (const size_t end = text.find('\n'); end != std::string::npos) {
    what_to_do = text.substr(end + 1);
    text.resize(end);
  }
  if (what_to_do.empty()) {
    what_to_do = usual_remedy(status);
  }
  return {kind_of(status), std::move(text), std::move(what_to_do)};
}

Result<void> module_result(const AacoModule& module, int32_t status) {
  if (status != kAacoOk) {
    return module_error(module, status);
  }
  return {};
}

void MemoryCount::add(MemoryKind kind, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  const bool pinned = kind == MemoryKind::kPinnedHost;
  int64_t& now = pinned ? use_.pinned_bytes : use_.allocated_bytes;
  int64_t& peak = pinned ? use_.pinned_peak_bytes : use_.peak_bytes;
  now += bytes;
  peak = std::max(peak, now);
}

void MemoryCount::reset_peak() {
  const std::lock_guard lock(mutex_);
  use_.peak_bytes = use_.allocated_bytes;
  use_.pinned_peak_bytes = use_.pinned_bytes;
}

MemoryUse MemoryCount::use() const {
  const std::lock_guard lock(mutex_);
  return use_;
}

Result<std::unique_ptr<ModuleDevice>> ModuleDevice::open(const AacoModule& module, int index) {
  auto device = std::unique_ptr<ModuleDevice>(new ModuleDevice(module));
  AacoDeviceProperties given{};
  AACO_TRY(module_result(module, module.device_open(index, &device->handle_, &given)));
  device->properties_ = properties_of(module, index, given);
  return device;
}

Result<std::unique_ptr<Buffer>> ModuleDevice::allocate(size_t bytes, MemoryKind kind) {
  const bool pinned = kind == MemoryKind::kPinnedHost;
  void* data = nullptr;
  if (const int32_t status = module_.allocate(handle_, bytes, plain(kind), &data); status != kAacoOk) {
    Error error = module_error(module_, status);
    int64_t unused = 0;
    int64_t total = 0;
    if (!pinned && module_.memory_free(handle_, &unused, &total) == kAacoOk) {
      error.message = fmt::format("{} bytes of {} were asked for, {} of {} are free: {}", bytes, properties_.id, unused,
                                  total, error.message);
    } else {
      error.message = fmt::format("{} bytes of {} were asked for: {}", bytes, pinned ? "pinned memory" : properties_.id,
                                  error.message);
    }
    return error;
  }
  return std::unique_ptr<Buffer>(std::make_unique<ModuleBuffer>(module_, handle_, memory_, data, bytes, kind));
}

Result<std::unique_ptr<Stream>> ModuleDevice::make_stream(int priority) {
  void* stream = nullptr;
  uint64_t native_id = 0;
  AACO_TRY(module_result(module_, module_.stream_make(handle_, priority, &stream, &native_id)));
  return std::unique_ptr<Stream>(std::make_unique<ModuleStream>(module_, stream, priority, native_id));
}

Result<std::unique_ptr<Event>> ModuleDevice::make_event(bool timing) {
  void* event = nullptr;
  AACO_TRY(module_result(module_, module_.event_make(handle_, timing ? 1 : 0, &event)));
  return std::unique_ptr<Event>(std::make_unique<ModuleEvent>(module_, event));
}

Result<double> ModuleDevice::elapsed_ns(Event& from, Event& to) {
  double ns = 0;
  AACO_TRY(module_result(module_, module_.event_elapsed_ns(static_cast<ModuleEvent&>(from).handle(),
                                                           static_cast<ModuleEvent&>(to).handle(), &ns)));
  return ns;
}

Result<void> ModuleDevice::synchronize() { return module_result(module_, module_.device_synchronize(handle_)); }

MemoryUse ModuleDevice::memory_use() const {
  MemoryUse use = memory_.use();
  use.library_bytes = module_.library_memory(handle_);
  int64_t unused = 0;
  int64_t total = 0;
  if (module_.memory_free(handle_, &unused, &total) == kAacoOk) {
    use.reserved_bytes = total - unused;
  }
  return use;
}

Result<void> ModuleDevice::enable_peer(Device& peer) {
  const auto* other = dynamic_cast<const ModuleDevice*>(&peer);
  if (other == nullptr || &other->module_ != &module_) {
    return Error{ErrorKind::kUnavailable,
                 fmt::format("{} cannot reach the memory of {}", properties_.id, peer.properties().id),
                 "copy through pinned host memory between devices of different vendors"};
  }
  return module_result(module_, module_.enable_peer(handle_, other->handle_));
}

}  // namespace aaco
