// SPDX-License-Identifier: MIT
#include "device/cpu/cpu_device.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <system_error>
#include <thread>

#include "base/memory/machine_memory.h"
#include "base/process/limit_error.h"
#include "device/cpu/commands/cpu_event.h"
#include "device/cpu/cpu_stream.h"

namespace aaco {

namespace {

DeviceProperties properties_of(uint32_t index, const OpFunctions& ops) {
  DeviceProperties properties;
  properties.id = fmt::format("cpu:{}", index);
  properties.name = processor_name().value_or("unknown processor");
  properties.architecture = "x86-64";
  utsname system{};
  if (uname(&system) == 0) {
    properties.driver = fmt::format("{} {}", system.sysname, system.release);
  }
  properties.runtime = "a thread per stream";
  properties.gemm_library = ops.gemm_library;
  properties.conv_library = properties.gemm_library;  // which multiplies the patches (conv_cpu.cpp)
  properties.memory_bytes = total_memory_bytes().value_or(properties.memory_bytes);
  properties.compute_units = static_cast<int32_t>(std::thread::hardware_concurrency());
  properties.wave_lanes = 1;
  return properties;
}

}  // namespace

CpuDevice::CpuDevice(CpuShared& shared, uint32_t index)
    : shared_(shared), index_(index), properties_(properties_of(index, shared.ops)) {}

Result<std::unique_ptr<Buffer>> CpuDevice::allocate(size_t bytes, MemoryKind kind) {
  return memory_.allocate(bytes, kind);
}

Result<std::unique_ptr<Stream>> CpuDevice::make_stream(int priority) {
  if (priority != 0) {
    return Error{ErrorKind::kUsage, fmt::format("a stream of {} with priority {}", properties_.id, priority),
                 "streams of the CPU have no priorities; use 0"};
  }
  try {
    return std::unique_ptr<Stream>(std::make_unique<CpuStream>(shared_, index_));
  } catch (const std::system_error& failure) {
    return Error{ErrorKind::kResource,
                 fmt::format("a stream of {}: {}", properties_.id,
                             limit_error("start a thread", failure.code().value()).message),
                 "use fewer streams, or raise the limit of threads (ulimit -u)"};
  }
}

Result<std::unique_ptr<Event>> CpuDevice::make_event(bool timing) {
  return std::unique_ptr<Event>(std::make_unique<CpuEvent>(timing));
}

Result<double> CpuDevice::elapsed_ns(Event& from, Event& to) { return elapsed_ns_between(from, to); }

Result<void> CpuDevice::synchronize() {
  Result<void> outcome;
  for (const Mark& mark : shared_.workers.marks(index_)) {
    if (auto done = wait_for(mark); !done && outcome) {
      outcome = done.error();
    }
  }
  return outcome;
}

Result<void> CpuDevice::enable_peer(Device& peer) {
  if (dynamic_cast<CpuDevice*>(&peer) == nullptr) {
    return Error{ErrorKind::kUnavailable,
                 fmt::format("{} and {} cannot copy to each other directly", properties_.id, peer.properties().id),
                 "use devices of one backend"};
  }
  return {};
}

}  // namespace aaco
