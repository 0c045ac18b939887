// SPDX-License-Identifier: MIT
#include "machine.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <sstream>

namespace aaco::hip_double {
namespace {

std::string from_environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

struct Injection {
  std::string function;
  hipError_t code = hipSuccess;
  int call = 0;  // from 1
};

std::vector<Injection> injections_wanted() {
  std::vector<Injection> wanted;
  std::istringstream list(from_environment("AACO_HIP_DOUBLE_FAIL", ""));
  for (std::string entry; std::getline(list, entry, ',');) {
    const size_t first = entry.find(':');
    const size_t second = entry.find(':', first + 1);
    if (second == std::string::npos) {
      say("AACO_HIP_DOUBLE_FAIL: not FUNCTION:CODE:N: " + entry);
      std::abort();
    }
    wanted.push_back({entry.substr(0, first),
                      static_cast<hipError_t>(std::stoi(entry.substr(first + 1, second - first - 1))),
                      std::stoi(entry.substr(second + 1))});
  }
  return wanted;
}

const std::map<std::string, int> kLanesOf = {{"gfx908", 64},  {"gfx90a", 64},  {"gfx942", 64},
                                             {"gfx1030", 32}, {"gfx1100", 32}, {"gfx1201", 32}};

}  // namespace

Machine::Machine()
    : architecture(from_environment("AACO_HIP_DOUBLE_ARCH", "gfx942")),
      memory_bytes(std::stoull(from_environment("AACO_HIP_DOUBLE_MEMORY", "1073741824"))),
      devices(std::stoul(from_environment("AACO_HIP_DOUBLE_DEVICES", "2"))) {
  const auto lanes = kLanesOf.find(architecture);
  if (lanes == kLanesOf.end()) {
    say("AACO_HIP_DOUBLE_ARCH: unknown: " + architecture);
    std::abort();
  }
  const std::string run = from_environment("AACO_HIP_DOUBLE_RUN", "lockstep");
  if (run != "lockstep" && run != "code") {
    say("AACO_HIP_DOUBLE_RUN: lockstep or code, not " + run);
    std::abort();
  }
  runs_code = run == "code";
  limits.compute_units = 1;  // blocks run one after the other: a kernel that waits and fills the device waits once
  limits.wave_lanes = lanes->second;
  limits.clock_khz = runs_code ? 100'000 : 1'000'000;  // as AMD's devices count; the interpreter counts instructions
  limits.shared_bytes = size_t{64} * 1024;
  if (runs_code) {
    return;
  }
  const std::string path = from_environment("AACO_HIP_DOUBLE_KERNELS", ".") + "/libaaco_lockstep_" +
                           std::to_string(limits.wave_lanes) + ".so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    no_kernels = dlerror();
    return;
  }
  const auto entry = reinterpret_cast<gpu::lockstep::LibraryEntry>(dlsym(library, gpu::lockstep::kLibraryEntry));
  kernels = entry();
}

Machine& machine() {
  static auto* const here = new Machine;  // outlives the streams' threads
  return *here;
}

int& current_device() {
  thread_local int device = 0;
  return device;
}

hipError_t injected(const char* function) {
  static std::mutex mutex;
  static const std::vector<Injection> wanted = injections_wanted();
  static std::map<std::string, int> calls;
  if (wanted.empty()) {
    return hipSuccess;
  }
  const std::lock_guard lock(mutex);
  const int call = ++calls[function];
  for (const Injection& injection : wanted) {
    if (injection.function == function && injection.call == call) {
      return injection.code;
    }
  }
  return hipSuccess;
}

hipError_t& last_error() {
  thread_local hipError_t status = hipSuccess;
  return status;
}

hipError_t returns(hipError_t status) {
  if (status != hipSuccess && status != hipErrorNotReady) {
    last_error() = status;
  }
  return status;
}

void say(const std::string& text) { std::fprintf(stderr, "hip double: %s\n", text.c_str()); }

}  // namespace aaco::hip_double
