// SPDX-License-Identifier: MIT
#include "device_code.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <utility>
#include <vector>

#include "amd_code/code_object.h"
#include "amd_code/kernel_arguments.h"
#include "amd_code/offload_bundle.h"
#include "amd_isa/machine.h"
#include "memory.h"

namespace aaco::hip_double {
namespace {

// All that the machine's devices have and a kernel on this one may touch, at this moment.
amd::Memory memory_within_reach(int device) {
  const uint64_t peers = machine().devices[static_cast<size_t>(device)].peers;
  amd::Memory memory;
  for (const AllocatedRange& range : allocated_ranges()) {
    if (range.device == kHost || range.device == device || (peers >> range.device & 1U) != 0) {
      memory.add(range.memory, range.bytes);
    }
  }
  return memory;
}

// One line of JSON for each launch, to AACO_HIP_DOUBLE_LOG: a process may end at any moment, and several may write.
void log_launch(const CodeLaunch& launch, const amd::RunCounts& counts, double seconds) {
  static const char* const path = std::getenv("AACO_HIP_DOUBLE_LOG");
  if (path == nullptr) {
    return;
  }
  const gpu::Dim3 grid = launch.shape.grid;
  const nlohmann::json entry = {{"architecture", machine().architecture},
                                {"kernel", launch.kernel},
                                {"blocks", uint64_t{grid.x} * grid.y * grid.z},
                                {"threads", launch.shape.block},
                                {"dynamic_lds_bytes", launch.shape.shared_bytes},
                                {"seconds", seconds},
                                {"valu", counts.valu},
                                {"salu", counts.salu},
                                {"matrix", counts.mfma},
                                {"lds", counts.lds},
                                {"memory", counts.memory},
                                {"scratch", counts.scratch},
                                {"barriers", counts.barriers},
                                {"lane_instructions", counts.lane_instructions}};
  const std::string line = entry.dump() + "\n";
  const int file = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);  // NOLINT(*-vararg)
  if (file < 0 || ::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    say(std::string("cannot write ") + path);
    std::abort();
  }
  ::close(file);
}

amd::RunOptions options_of_run() {
  amd::RunOptions options;
  if (const char* seed = std::getenv("AACO_HIP_DOUBLE_SEED")) {
    options.seed = std::strtoull(seed, nullptr, 10);
  }
  return options;
}

// AACO_HIP_DOUBLE_HIDDEN=KIND:VALUE gives each kernel a wrong hidden argument, to see that it shows.
void plant_wrong_argument(const amd::KernelMetadata& kernel, std::vector<std::byte>& kernarg) {
  static const char* const wanted = std::getenv("AACO_HIP_DOUBLE_HIDDEN");
  const std::string text = wanted != nullptr ? wanted : "";
  const uint64_t value = std::strtoull(text.c_str() + std::min(text.size(), text.find(':') + 1), nullptr, 10);
  for (const amd::KernelArgument& argument : kernel.arguments) {
    if (argument.hidden() && argument.kind == text.substr(0, text.find(':'))) {
      std::memcpy(kernarg.data() + argument.offset, &value, std::min<size_t>(argument.bytes, sizeof(value)));
    }
  }
}

hipError_t run(const amd::LoadedKernel& kernel, const CodeLaunch& launch,
               const std::vector<std::byte>& explicit_bytes) {
  if (const hipError_t wanted = injected("kernel"); wanted != hipSuccess) {
    return wanted;
  }
  const gpu::lockstep::LaunchShape& shape = launch.shape;
  const amd::Geometry geometry{
      {shape.grid.x, shape.grid.y, shape.grid.z}, {shape.block, 1, 1}, static_cast<uint32_t>(shape.shared_bytes)};
  auto kernarg = amd::kernarg_of(kernel.metadata, geometry, explicit_bytes);
  if (!kernarg) {
    say(kernarg.error().message);
    return hipErrorLaunchFailure;
  }
  plant_wrong_argument(kernel.metadata, *kernarg);
  amd::Memory memory = memory_within_reach(launch.device);
  const auto began = std::chrono::steady_clock::now();
  const amd::RunResult result = amd::run_kernel(kernel.code, geometry, *kernarg, memory, options_of_run());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (!result) {
    say(result.error);
    return result.error.find("outside of what is allocated") != std::string::npos ? hipErrorIllegalAddress
                                                                                  : hipErrorLaunchFailure;
  }
  log_launch(launch, result.counts, took.count());
  return hipSuccess;
}

class LoadedCode : public DeviceCode {
 public:
  explicit LoadedCode(amd::CodeObject object) : object_(std::move(object)) {}

  Work prepare(const CodeLaunch& launch, const void* const* arguments, std::string& failure) const override {
    const amd::LoadedKernel* kernel = object_.find(launch.kernel);
    if (kernel == nullptr) {
      failure = "the code object has no kernel " + launch.kernel;
      return {};
    }
    return [kernel, launch, bytes = amd::copy_explicit(kernel->metadata, arguments)] {
      return run(*kernel, launch, bytes);
    };
  }

 private:
  amd::CodeObject object_;
};

extern "C" DeviceCode* aaco_hip_double_open_code(const void* bundle, const std::string& architecture,
                                                 std::string& failure) {
  const auto load = [&]() -> Result<amd::CodeObject> {
    AACO_ASSIGN(const auto bytes, amd::loaded_bytes_from(bundle));
    AACO_ASSIGN(const auto code, amd::code_for(bytes, architecture));
    return amd::CodeObject::load(code, architecture);
  };
  auto object = load();
  if (!object) {
    failure = object.error().message;
    return nullptr;
  }
  return new LoadedCode(std::move(*object));
}

}  // namespace
}  // namespace aaco::hip_double
