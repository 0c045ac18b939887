// SPDX-License-Identifier: MIT
// What the compiler's host code registers, and launches of it: by name in the lockstep library, or as machine code
// (device_code.h). A kernel that was not compiled for this machine's architecture, or that is not there, fails.
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device_code.h"
#include "memory.h"
#include "observer.h"

namespace aaco::hip_double {
namespace {

// As clang lays it out: clang/lib/CodeGen/CGCUDANV.cpp, and the bundle as docs/ClangOffloadBundler says.
struct FatBinary {
  uint32_t magic;  // "HIPF"
  uint32_t version;
  const char* bundle;
  const void* unused;
};
struct Module {
  bool for_this_machine = false;
  std::unique_ptr<DeviceCode> code;  // where kernels run as such
  std::string no_code;               // why not
};
struct RegisteredKernel {
  std::string name;
  const Module* module = nullptr;
};

constexpr uint32_t kFatBinaryMagic = 0x48495046;
constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";

std::mutex registry_mutex;
std::map<const void*, RegisteredKernel>& registry() {
  static auto* const all = new std::map<const void*, RegisteredKernel>;  // filled before main, read after it
  return *all;
}

uint64_t number_at(const char* place) {
  uint64_t number = 0;
  std::memcpy(&number, place, sizeof(number));
  return number;
}

// Among "hipv4-amdgcn-amd-amdhsa--gfx942", "host-x86_64-unknown-linux-gnu-".
bool has_architecture(const FatBinary& binary, const std::string& architecture) {
  if (binary.magic != kFatBinaryMagic || std::string_view(binary.bundle, kBundleMagic.size()) != kBundleMagic) {
    return false;
  }
  const char* place = binary.bundle + kBundleMagic.size();
  const uint64_t count = number_at(place);
  place += sizeof(uint64_t);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t length = number_at(place + 2 * sizeof(uint64_t));
    place += 3 * sizeof(uint64_t);
    const std::string_view target(place, length);
    if (target.starts_with("hip") && target.substr(target.rfind('-') + 1) == architecture) {
      return true;
    }
    place += length;
  }
  return false;
}

// Kernels of unnamed namespaces get a suffix of their own where device code is linked.
std::string without_suffix(const std::string& name) { return name.substr(0, name.find(".intern.")); }

hipError_t find_registered(const void* function, RegisteredKernel& registered) {
  const std::lock_guard lock(registry_mutex);
  const auto found = registry().find(function);
  if (found == registry().end()) {
    return hipErrorInvalidDeviceFunction;
  }
  registered = found->second;
  if (!registered.module->for_this_machine) {
    say("not compiled for " + machine().architecture + ": " + registered.name);
    return hipErrorNoBinaryForGpu;
  }
  return hipSuccess;
}

hipError_t find_kernel(const RegisteredKernel& registered, const gpu::lockstep::Kernel*& kernel) {
  if (machine().kernels == nullptr) {
    say("no kernels: " + machine().no_kernels);
    return hipErrorNotFound;
  }
  kernel = machine().kernels->find(registered.name.c_str());
  if (kernel == nullptr) {
    say("the lockstep library has no kernel " + registered.name);
    return hipErrorNotFound;
  }
  return hipSuccess;
}

hipError_t run_kernel(const gpu::lockstep::Kernel& kernel, const gpu::lockstep::LaunchShape& shape,
                      const std::vector<char>& args) {
  if (const hipError_t wanted = injected("kernel"); wanted != hipSuccess) {
    return wanted;
  }
  const std::string failure = machine().kernels->run(kernel, machine().limits, shape, args.data());
  if (!failure.empty()) {
    say(failure);
    return hipErrorLaunchFailure;
  }
  return hipSuccess;
}

// Arguments are plain data: what looks like a pointer into a device's memory is one.
bool within_reach(int device, const char* args, size_t bytes) {
  const uint64_t peers = machine().devices[static_cast<size_t>(device)].peers;
  for (size_t at = 0; at + sizeof(void*) <= bytes; at += sizeof(void*)) {
    const void* pointer = nullptr;
    std::memcpy(static_cast<void*>(&pointer), args + at, sizeof(pointer));
    const int owner = owner_of(pointer);
    if (owner >= 0 && owner != device && (peers >> owner & 1U) == 0) {
      say("device " + std::to_string(device) + " cannot reach the memory of device " + std::to_string(owner));
      return false;
    }
  }
  return true;
}

hipError_t prepare_lockstep(const RegisteredKernel& registered, int device, const gpu::lockstep::LaunchShape& shape,
                            const void* const* args, Work& work) {
  const gpu::lockstep::Kernel* kernel = nullptr;
  if (const hipError_t status = find_kernel(registered, kernel); status != hipSuccess) {
    return status;
  }
  const auto* bytes = static_cast<const char*>(args[0]);
  const bool reachable = within_reach(device, bytes, kernel->args_bytes);
  work = [reachable, kernel, shape, copy = std::vector<char>(bytes, bytes + kernel->args_bytes)] {
    return reachable ? run_kernel(*kernel, shape, copy) : hipErrorIllegalAddress;
  };
  return hipSuccess;
}

hipError_t prepare_code(const RegisteredKernel& registered, int device, const gpu::lockstep::LaunchShape& shape,
                        const void* const* args, Work& work) {
  std::string failure = registered.module->no_code;
  if (registered.module->code != nullptr) {
    work = registered.module->code->prepare({registered.name, device, shape}, args, failure);
  }
  if (!work) {
    say(failure);
    return hipErrorNotFound;
  }
  return hipSuccess;
}

// A kernel that takes all shared memory there is has the device to itself.
Work alone_where_it_must(Device& device, const gpu::lockstep::LaunchShape& shape, Work work) {
  if (shape.shared_bytes != machine().limits.shared_bytes) {
    return work;
  }
  return [&device, work = std::move(work)] {
    const std::lock_guard whole(device.whole);
    return work();
  };
}

// Null, and why.
std::unique_ptr<DeviceCode> open_code(const void* bundle, std::string& failure) {
  void* library = dlopen("libhip_double_code.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    failure = std::string(dlerror()) + " (built where llvm-19-dev is)";
    return nullptr;
  }
  const auto open = reinterpret_cast<OpenDeviceCode>(dlsym(library, kOpenDeviceCode));
  return std::unique_ptr<DeviceCode>(open(bundle, machine().architecture, failure));
}

struct CallConfiguration {
  dim3 grid;
  dim3 block;
  size_t shared_bytes = 0;
  hipStream_t stream = nullptr;
};

std::vector<CallConfiguration>& configurations() {
  thread_local std::vector<CallConfiguration> pushed;
  return pushed;
}

}  // namespace
}  // namespace aaco::hip_double

using namespace aaco::hip_double;

// NOLINTBEGIN(bugprone-reserved-identifier): the names that compilers call
extern "C" {

void** __hipRegisterFatBinary(const void* data) {
  const auto& binary = *static_cast<const FatBinary*>(data);
  auto* module = new Module{has_architecture(binary, machine().architecture), nullptr, ""};
  if (module->for_this_machine && machine().runs_code) {
    module->code = open_code(binary.bundle, module->no_code);
  }
  return reinterpret_cast<void**>(module);
}

void __hipUnregisterFatBinary(void** module) {
  const std::lock_guard lock(registry_mutex);
  const auto* gone = reinterpret_cast<const Module*>(module);
  std::erase_if(registry(), [gone](const auto& entry) { return entry.second.module == gone; });
  delete gone;
}

void __hipRegisterFunction(void** module, const void* function, char* /*name*/, const char* device_name,
                           unsigned int /*thread_limit*/, void* /*thread*/, void* /*block*/, void* /*block_size*/,
                           void* /*grid_size*/, int* /*wave_size*/) {
  const std::lock_guard lock(registry_mutex);
  registry()[function] = {without_suffix(device_name), reinterpret_cast<const Module*>(module)};
}

// Variables of device memory: lockstep has none, so a kernel that uses one is not found.
void __hipRegisterVar(void** /*module*/, void* /*variable*/, char* /*name*/, char* /*device_name*/, int /*external*/,
                      size_t /*bytes*/, int /*constant*/, int /*global*/) {}

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, hipStream_t stream) {
  configurations().push_back({grid, block, shared_bytes, stream});
  return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, hipStream_t* stream) {
  const CallConfiguration last = configurations().back();
  configurations().pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *stream = last.stream;
  return hipSuccess;
}
// NOLINTEND(bugprone-reserved-identifier)

// The stream must be of the current device: CUDA wants it, so the host source shared with it must keep it.
hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** args, size_t shared_bytes,
                           hipStream_t stream) {
  const ObservedCall observed_call(__func__, stream);
  HIP_DOUBLE_CALL();
  RegisteredKernel registered;
  if (const hipError_t status = find_registered(function, registered); status != hipSuccess) {
    return returns(status);
  }
  if (stream == nullptr || stream->device != current_device()) {
    say("a launch on the null stream, or on a stream of another device");
    return returns(hipErrorInvalidHandle);
  }
  const uint32_t threads = block.x * block.y * block.z;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || threads == 0 || threads > 1024 || block.y != 1 || block.z != 1 ||
      shared_bytes > machine().limits.shared_bytes) {
    return returns(hipErrorInvalidConfiguration);
  }
  const aaco::gpu::lockstep::LaunchShape shape{{grid.x, grid.y, grid.z}, threads, shared_bytes};
  Work work;
  const auto prepare = machine().runs_code ? prepare_code : prepare_lockstep;
  if (const hipError_t status = prepare(registered, stream->device, shape, args, work); status != hipSuccess) {
    return returns(status);
  }
  work = alone_where_it_must(machine().devices[static_cast<size_t>(stream->device)], shape, std::move(work));
  const std::lock_guard lock(api_mutex());
  return returns(submit(*stream, hipGraphNodeTypeKernel,
                        observed({.kernel = registered.name, .device = stream->device}, std::move(work))));
}

}  // extern "C"
