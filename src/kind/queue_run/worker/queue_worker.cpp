// SPDX-License-Identifier: MIT
#include "kind/queue_run/worker/queue_worker.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "device/backend.h"
#include "engine/activity/stream_numbers.h"
#include "engine/device_facts.h"
#include "engine/worker_role.h"
#include "kind/queue_run/worker/activity_file.h"
#include "kind/queue_run/worker/command_records.h"
#include "kind/queue_run/worker/queue_loop.h"
#include "kind/queue_run/worker/wait_resolution.h"
#include "record/device/activity_table.h"
#include "session/trace_tables.h"
#include "workload/checks/hazards.h"
#include "workload/checks/verify.h"

namespace aaco {

AACO_JSON_FIELDS(QueueInspection, work, devices, communicator, verification, notes)

namespace {

WorkloadCheck check_of(const Verification& found) {
  return {.operations = found.operations,
          .checked = found.checked,
          .in_part = found.in_part,
          .outputs = found.outputs,
          .iterations = found.iterations,
          .bitwise = found.bitwise,
          .worst_error = found.worst_error,
          .worst_operation = found.worst_operation};
}

QueueWork work_of(const PreparedWorkload& workload) {
  const Program& program = workload.instance->iteration;
  QueueWork work;
  work.kernels = program.kernels();
  work.flops = program.flops();
  work.ideal_bytes = program.ideal_bytes();
  work.used_streams = program.used_streams();
  work.streams = program.streams();
  work.unit = workload.instance->info->unit;
  return work;
}

Result<Json> inspect(const QueueRequest& request) {
  AACO_ASSIGN(const auto workload, prepare_workload(request));
  QueueInspection inspection;
  inspection.work = work_of(*workload);
  for (const Device* device : workload->devices) {
    inspection.devices.push_back(facts_of(device->properties()));
  }
  const CommunicatorInfo& info = workload->communicator->info();
  inspection.communicator = {info.ranks, info.library, info.emulated};
  inspection.notes = workload->instance->notes;
  if (request.check) {
    const std::vector<Hazard> hazards = find_hazards(workload->instance->iteration, info.ranks);
    if (!hazards.empty()) {
      return Error{ErrorKind::kBug, fmt::format("{}: its streams race: {}", request.workload, hazards.front().text),
                   ""};
    }
    AACO_ASSIGN(const DispatchMode mode, dispatch_mode_of(request));
    AACO_ASSIGN(const Verification found, verify(*workload->instance, workload->target, mode, VerifyLimits()));
    inspection.verification = check_of(found);
  }
  return Json(inspection);
}

// Before readers of units and results get memory of their own.
void add_own_memory(const PreparedWorkload& workload, QueueProcess& result) {
  for (const Device* device : workload.devices) {
    const MemoryUse use = device->memory_use();
    result.allocated_bytes += use.allocated_bytes;
    result.peak_bytes += use.peak_bytes;
    result.pinned_peak_bytes += use.pinned_peak_bytes;
  }
}

// What libraries took while the workload ran, and what the driver says.
void add_other_memory(const PreparedWorkload& workload, QueueProcess& result) {
  for (const Device* device : workload.devices) {
    const MemoryUse use = device->memory_use();
    result.library_bytes += use.library_bytes;
    if (use.reserved_bytes >= 0) {
      result.reserved_bytes = result.reserved_bytes.value_or(0) + use.reserved_bytes;
    }
  }
}

// The measured loop, with nothing else in the process or, with `profiler`, under it.
Result<QueueProcess> measure_in(PreparedWorkload& workload, const QueueRequest& request, int64_t process,
                                const UnderProfiler* profiler = nullptr) {
  QueueProcess result;
  result.process = process;
  result.pid = ::getpid();
  add_own_memory(workload, result);
  AACO_ASSIGN(Recorder recorder, Recorder::create(request.folder, process));
  AACO_ASSIGN(const QueueLoopOutcome outcome, measure_queue(workload, recorder, request, profiler));
  AACO_TRY(recorder.close());
  result.iterations = outcome.iterations;
  result.wall_ns = outcome.wall_ns;
  result.stationary = outcome.stationary;
  result.dispatch_p50_ns = outcome.dispatch_p50_ns;
  result.p50_ns = outcome.p50_ns;
  result.units_per_iteration = outcome.units_per_iteration;
  add_other_memory(workload, result);
  result.interrupted = interrupted();
  return result;
}

Result<Json> measure(const QueueRequest& request, int64_t process) {
  const int64_t begun = monotonic_ns();
  AACO_ASSIGN(const auto workload, prepare_workload(request));
  const double load_ms = static_cast<double>(monotonic_ns() - begun) / 1e6;
  AACO_ASSIGN(QueueProcess result, measure_in(*workload, request, process));
  result.load_ms = load_ms;
  return Json(result);
}

// The collector comes first: a vendor's interface wants to be there before the process's first call of it.
Result<Json> profile(const QueueRequest& request, int64_t process) {
  const int64_t begun = monotonic_ns();
  ActivityTable sink;
  AACO_ASSIGN(Backend * backend, backend_of(request.devices.front()));
  AACO_ASSIGN(const auto collector, backend->collect(sink));
  AACO_ASSIGN(const auto workload, prepare_workload(request));
  const double load_ms = static_cast<double>(monotonic_ns() - begun) / 1e6;
  const Program& program = workload->instance->iteration;
  AACO_ASSIGN(const DispatchMode dispatch, dispatch_mode_of(request));
  CommandRecords commands;
  const UnderProfiler profiler{[&]() -> Result<void> {
    if (dispatch != DispatchMode::kGraph) {
      AACO_ASSIGN(commands, find_command_records(program, workload->target, *collector, sink));
      return {};
    }
    AACO_TRY(collector->flush());
    sink.take();
    return {};
  }};
  ProfiledQueueProcess result;
  AACO_ASSIGN(result.process, measure_in(*workload, request, process, &profiler));
  result.process.load_ms = load_ms;
  AACO_TRY(collector->flush());
  EventTable events = sink.take();
  ActivityRun run;
  if (dispatch == DispatchMode::kGraph) {
    run.unresolved = "the kernels are nodes of a graph: only the graph knows what each waits for";
  } else {
    ResolvedWaits resolved = resolve_waits(program, commands, workload->target, events, result.process.iterations);
    run.waits = std::move(resolved.waits);
    run.unresolved = std::move(resolved.unresolved);
  }
  result.records = static_cast<int64_t>(events.size());
  result.same_work = program.streams_have_same_work();
  name_recording(events, workload->target, request.workload);
  run.events = std::make_shared<const EventTable>(std::move(events));
  AACO_TRY(write_activity(request.folder, process, run));
  if (process == request.processes) {  // one trace is kept, that of the first profiled process
    AACO_TRY(write_trace_tables(request.folder, *run.events));
  }
  return Json(result);
}

Result<QueueRequest> plan_of(const WorkerTask& task) {
  return from_json_value<QueueRequest>(task.plan, task.plan_file.string());
}

}  // namespace

Result<Json> queue_check_role(const WorkerTask& task) {
  AACO_ASSIGN(const auto request, plan_of(task));
  return inspect(request);
}

Result<Json> queue_measure_role(const WorkerTask& task) {
  AACO_ASSIGN(const auto request, plan_of(task));
  return measure(request, task.process);
}

Result<Json> queue_profile_role(const WorkerTask& task) {
  AACO_ASSIGN(const auto request, plan_of(task));
  return profile(request, task.process);
}

}  // namespace aaco
