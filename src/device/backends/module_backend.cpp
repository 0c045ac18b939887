// SPDX-License-Identifier: MIT
#include "device/backends/module_backend.h"

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>

#include "base/files/cache_folder.h"
#include "base/files/installation.h"
#include "device/backends/module_stream.h"

namespace aaco {

std::vector<std::filesystem::path> module_folders() {
  if (const char* folder = std::getenv("AACO_MODULES"); folder != nullptr && *folder != '\0') {
    return {folder};
  }
  return library_folders();
}

namespace {

// Kept open until the process ends, its symbols for all: the module is linked to it without naming it, so that it may
// be of any of these versions.
Result<void> open_runtime(const ModuleVendor& vendor) {
  if (vendor.libraries.empty()) {
    return {};
  }
  std::string reasons;
  for (const char* library : vendor.libraries) {
    if (dlopen(library, RTLD_NOW | RTLD_GLOBAL) != nullptr) {
      return {};
    }
    const char* reason = dlerror();
    reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", reason != nullptr ? reason : library);
  }
  return Error{ErrorKind::kUnavailable, fmt::format("no {} runtime: {}", vendor.title, reasons), vendor.how_to_install};
}

// A module has nothing of base: it is told where the vendor's Python packages may lie by the variable that tells us.
void hand_on_python_packages() {
  std::string folders;
  for (const std::filesystem::path& folder : own_python_packages()) {
    folders += (folders.empty() ? "" : ":") + folder.string();
  }
  if (!folders.empty()) {
    ::setenv("AACO_PYTHON_PACKAGES", folders.c_str(), 1);
  }
}

class ModuleRegisteredMemory : public RegisteredMemory {
 public:
  ModuleRegisteredMemory(const AacoModule& module, void* handle) : module_(module), handle_(handle) {}
  ~ModuleRegisteredMemory() override { module_.memory_unregister(handle_); }
  ModuleRegisteredMemory(const ModuleRegisteredMemory&) = delete;
  ModuleRegisteredMemory& operator=(const ModuleRegisteredMemory&) = delete;

 private:
  const AacoModule& module_;
  void* handle_;
};

class ModuleCommunicator : public Communicator {
 public:
  ModuleCommunicator(const AacoModule& module, void* handle, CommunicatorInfo info)
      : module_(module), handle_(handle), info_(std::move(info)) {}
  ~ModuleCommunicator() override { module_.communicator_free(handle_); }
  ModuleCommunicator(const ModuleCommunicator&) = delete;
  ModuleCommunicator& operator=(const ModuleCommunicator&) = delete;

  const CommunicatorInfo& info() const override { return info_; }
  Result<std::unique_ptr<RegisteredMemory>> add_memory(const Buffer& memory) override {
    void* registration = nullptr;
    AACO_TRY(module_result(module_, module_.memory_register(handle_, memory.data(), memory.bytes(), &registration)));
    return std::unique_ptr<RegisteredMemory>(std::make_unique<ModuleRegisteredMemory>(module_, registration));
  }
  void enqueue(Collective collective, std::span<const CollectivePart> parts, int64_t count, Dtype dtype) override {
    std::vector<AacoCollectivePart> plain;
    plain.reserve(parts.size());
    for (const CollectivePart& part : parts) {
      plain.push_back({static_cast<ModuleStream*>(part.stream)->handle(), part.send, part.receive});
    }
    module_.collective(handle_, static_cast<int32_t>(collective), plain.data(), count, static_cast<int32_t>(dtype));
  }

 private:
  const AacoModule& module_;
  void* handle_;
  CommunicatorInfo info_;
};

class ModuleCollector : public ActivityCollector {
 public:
  ModuleCollector(const AacoModule& module, void* handle) : module_(module), handle_(handle) {}
  ~ModuleCollector() override { module_.collector_stop(handle_); }
  ModuleCollector(const ModuleCollector&) = delete;
  ModuleCollector& operator=(const ModuleCollector&) = delete;

  Result<void> flush() override { return module_result(module_, module_.collector_flush(handle_)); }

 private:
  const AacoModule& module_;
  void* handle_;
};

AacoSink plain_sink(ActivitySink& sink) {
  return {
      .self = &sink,
      .push = [](void* self, const ActivityRecord* records,
                 size_t count) { static_cast<ActivitySink*>(self)->push({records, count}); },
      .intern = [](void* self, const char* name, size_t length) -> uint32_t {
        return static_cast<ActivitySink*>(self)->intern({name, length});
      },
      .dropped = [](void* self, uint64_t count) { static_cast<ActivitySink*>(self)->dropped(count); },
  };
}

}  // namespace

const ModuleVendor& cuda_vendor() {
  static const ModuleVendor vendor{
      .backend = "cuda",
      .title = "CUDA",
      .file = "libaaco_cuda.so",
      .libraries = {},
      .how_to_build =
          "build with nvcc of CUDA 13 on PATH (cmake -DAACO_CUDA=on), or name the module's folder in "
          "AACO_MODULES",
      .how_to_install = "install an NVIDIA driver of branch 580 or newer; `nvidia-smi` shows what it finds",
  };
  return vendor;
}

const ModuleVendor& hip_vendor() {
  static const ModuleVendor vendor{
      .backend = "hip",
      .title = "HIP",
      .file = "libaaco_hip.so",
      .libraries = {"libamdhip64.so.7", "libamdhip64.so.6"},
      .how_to_build =
          "build with clang++-19 and the HIP headers (scripts/setup --tools, then cmake -DAACO_HIP=on), or "
          "name the module's folder in AACO_MODULES",
      .how_to_install = "install ROCm 6 or 7 (its package hip-runtime-amd); `rocminfo` shows what it finds",
  };
  return vendor;
}

Result<void> check_module(const AacoModule& module, const std::string& file) {
  if (module.version != kModuleApiVersion || module.op_count != kOpCount) {
    return Error{ErrorKind::kUnavailable,
                 fmt::format("{} is of another version than this program: interface {} with {} operations, not {} with "
                             "{}",
                             file, module.version, module.op_count, kModuleApiVersion, kOpCount),
                 "take program and module from the same build"};
  }
  return {};
}

Result<const AacoModule*> ModuleBackend::open_module() const {
  for (const std::filesystem::path& folder : module_folders()) {
    const std::string file = (folder / vendor_.file).string();
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
      continue;
    }
    AACO_TRY(open_runtime(vendor_));
    hand_on_python_packages();
    ::setenv("AACO_GEMM_ALGORITHMS", (cache_folder() / "gemm_algorithms.txt").c_str(), 0);
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* reason = dlerror();
      return Error{ErrorKind::kUnavailable, fmt::format("cannot open {}", reason != nullptr ? reason : file),
                   vendor_.how_to_build};
    }
    const auto entry = reinterpret_cast<AacoModuleEntry>(dlsym(library, kModuleEntry));
    if (entry == nullptr) {
      return Error{ErrorKind::kUnavailable, fmt::format("{} is no module of aaco", file), vendor_.how_to_build};
    }
    const AacoModule* const table = entry();
    AACO_TRY(check_module(*table, file));
    return table;
  }
  return Error{ErrorKind::kUnavailable,
               fmt::format("built without {}: no {} beside the program", vendor_.title, vendor_.file),
               vendor_.how_to_build};
}

Result<const AacoModule*> ModuleBackend::module() {
  if (failure_) {
    return *failure_;
  }
  if (module_ == nullptr) {
    const auto opened = open_module();
    if (!opened) {
      failure_ = std::make_unique<Error>(opened.error());
      return opened.error();
    }
    module_ = *opened;
  }
  return module_;
}

Result<int> ModuleBackend::count_devices() {
  AACO_ASSIGN(const AacoModule* const table, module());
  int32_t count = 0;
  if (const int32_t status = table->device_count(&count); status != kAacoOk) {
    Error error = module_error(*table, status, vendor_.how_to_install);
    error.kind = ErrorKind::kUnavailable;
    return error;
  }
  if (count == 0) {
    return Error{ErrorKind::kUnavailable, fmt::format("{} finds no device", vendor_.title), vendor_.how_to_install};
  }
  return count;
}

Result<int> ModuleBackend::device_count() {
  const std::lock_guard lock(mutex_);
  return count_devices();
}

Result<Device*> ModuleBackend::open(int index) {
  const std::lock_guard lock(mutex_);
  AACO_ASSIGN(const int count, count_devices());
  if (index < 0 || index >= count) {
    return Error{ErrorKind::kUsage, fmt::format("no device {}:{}", name(), index),
                 count == 1 ? fmt::format("there is {}:0", name())
                            : fmt::format("there are {0}:0 to {0}:{1}", name(), count - 1)};
  }
  std::unique_ptr<ModuleDevice>& device = devices_[index];
  if (!device) {
    AACO_ASSIGN(device, ModuleDevice::open(*module_, index));
  }
  return device.get();
}

Result<void*> ModuleBackend::handle_of(const AacoModule& table, Device& device) const {
  const auto* ours = dynamic_cast<ModuleDevice*>(&device);
  if (ours == nullptr || &ours->module() != &table) {
    return Error{ErrorKind::kUsage, fmt::format("{} is no {} device", device.properties().id, vendor_.title),
                 "give all ranks of a communicator devices of one vendor"};
  }
  return ours->handle();
}

Result<std::unique_ptr<Communicator>> ModuleBackend::make_communicator(std::span<Device* const> devices) {
  const std::lock_guard lock(mutex_);
  AACO_ASSIGN(const AacoModule* const table, module());
  std::vector<void*> handles;
  for (Device* device : devices) {
    AACO_ASSIGN(handles.emplace_back(), handle_of(*table, *device));
  }
  void* handle = nullptr;
  std::array<char, 64> library{};
  AACO_TRY(module_result(*table, table->communicator_make(handles.data(), static_cast<int32_t>(handles.size()), &handle,
                                                          library.data(), library.size())));
  CommunicatorInfo info{static_cast<int32_t>(handles.size()), false, library.data()};
  return std::unique_ptr<Communicator>(std::make_unique<ModuleCommunicator>(*table, handle, std::move(info)));
}

Result<RankId> ModuleBackend::make_rank_id() {
  const std::lock_guard lock(mutex_);
  AACO_ASSIGN(const AacoModule* const table, module());
  RankId id;
  AACO_TRY(module_result(*table, table->communicator_id(id.bytes.data(), id.bytes.size())));
  return id;
}

Result<std::unique_ptr<Communicator>> ModuleBackend::join_communicator(Device& device, const RankId& id, int32_t rank,
                                                                       int32_t ranks,
                                                                       const CommunicatorOptions& options) {
  std::unique_lock lock(mutex_);
  AACO_ASSIGN(const AacoModule* const table, module());
  AACO_ASSIGN(void* const on, handle_of(*table, device));
  const AacoCommunicatorOptions plain{options.copy_engine ? 1 : 0, options.least_blocks, options.most_blocks,
                                      options.nonblocking ? 1 : 0, options.registers_memory ? 1 : 0};
  lock.unlock();  // it waits for the others, which may be of this process
  void* handle = nullptr;
  std::array<char, 64> library{};
  AACO_TRY(module_result(*table, table->communicator_join(on, id.bytes.data(), id.bytes.size(), rank, ranks, &plain,
                                                          &handle, library.data(), library.size())));
  CommunicatorInfo info{ranks, false, library.data()};
  return std::unique_ptr<Communicator>(std::make_unique<ModuleCommunicator>(*table, handle, std::move(info)));
}

Result<std::unique_ptr<ActivityCollector>> ModuleBackend::collect(ActivitySink& sink) {
  const std::lock_guard lock(mutex_);
  AACO_ASSIGN(const AacoModule* const table, module());
  const AacoSink plain = plain_sink(sink);
  void* handle = nullptr;
  AACO_TRY(module_result(*table, table->collector_start(&plain, &handle)));
  return std::unique_ptr<ActivityCollector>(std::make_unique<ModuleCollector>(*table, handle));
}

}  // namespace aaco
