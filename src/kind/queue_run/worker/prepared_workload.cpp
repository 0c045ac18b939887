// SPDX-License-Identifier: MIT
#include "kind/queue_run/worker/prepared_workload.h"

#include <algorithm>
#include <fmt/format.h>

#include "device/backend.h"
#include "workload/checks/verify.h"

namespace aaco {

namespace {

Result<std::unique_ptr<Communicator>> communicator_of(const QueueRequest& request,
                                                      const std::vector<Device*>& devices) {
  if (devices.size() == 1) {
    return make_emulated_communicator(*devices.front(), request.emulated_ranks);
  }
  AACO_ASSIGN(Backend * backend, backend_of(request.devices.front()));
  for (const std::string& id : request.devices) {
    AACO_ASSIGN(const Backend* other, backend_of(id));
    if (other != backend) {
      return Error{ErrorKind::kUsage,
                   fmt::format("--device {} and {}: ranks of different vendors", request.devices.front(), id),
                   "name devices of one backend"};
    }
  }
  return backend->make_communicator(devices);
}

}  // namespace

Result<std::unique_ptr<PreparedWorkload>> prepare_workload(const QueueRequest& request) {
  auto prepared = std::make_unique<PreparedWorkload>();
  for (const std::string& id : request.devices) {
    AACO_ASSIGN(prepared->devices.emplace_back(), open_device(id));
  }
  AACO_ASSIGN(prepared->communicator, communicator_of(request, prepared->devices));
  for (Device* device : prepared->devices) {
    device->reset_peak();
    for (int32_t i = 0; i < request.streams; ++i) {
      AACO_ASSIGN(prepared->streams.emplace_back(), device->make_stream(device->properties().lowest_priority));
      prepared->target.streams.push_back(prepared->streams.back().get());
      prepared->target.devices.push_back(device);
    }
  }
  prepared->target.communicators = {prepared->communicator.get()};
  AACO_ASSIGN(const WorkloadInfo* info, find_workload(request.workload));
  WorkloadRequest workload;
  workload.devices = prepared->devices;
  workload.streams = request.streams;
  workload.communicator = prepared->communicator.get();
  AACO_ASSIGN(workload.parameters, Parameters::make(info->parameters, request.parameters, info->id));
  workload.seed = request.seed;
  AACO_ASSIGN(prepared->instance, build_workload(*info, workload));
  if (!prepared->instance->iteration.collectives().empty() && prepared->communicator->info().emulated) {
    prepared->instance->notes.push_back(fmt::format("collectives are emulated: {} ranks on one device, no link is used",
                                                    prepared->communicator->info().ranks));
  }
  AACO_TRY(run_setup(*prepared->instance, prepared->target));
  return prepared;
}

Result<std::unique_ptr<Dispatcher>> make_ready_dispatcher(PreparedWorkload& workload, DispatchMode mode) {
  const Program& program = workload.instance->iteration;
  if (mode == DispatchMode::kGraph && program.host_steps().empty()) {
    // On one stream of each device: a graph is slower, by 8 % on an H200, where kernels were launched on all of them.
    ProgramTarget serial = workload.target;
    const auto streams = static_cast<size_t>(workload.instance->streams);
    for (size_t i = 0; i < serial.streams.size(); ++i) {
      serial.streams[i] = workload.target.streams[i / streams * streams];
    }
    AACO_ASSIGN(const auto first, make_dispatcher(DispatchMode::kSingle, program, serial));
    ++workload.iterations;
    AACO_TRY(first->enqueue());
    AACO_TRY(synchronize(workload.target));
  }
  return make_dispatcher(mode, program, workload.target);
}

Result<void> check_result(const PreparedWorkload& workload) {
  if (workload.iterations == 0) {
    return {};
  }
  AACO_ASSIGN(const auto reader, make_device_reader(*workload.devices.front()));
  for (const auto& check : workload.instance->checks) {
    AACO_TRY(check(*reader, workload.iterations));
  }
  return {};
}

}  // namespace aaco
