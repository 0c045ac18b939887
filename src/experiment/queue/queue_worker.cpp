// SPDX-License-Identifier: MIT
#include "experiment/queue/queue_worker.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "device/backend.h"
#include "experiment/queue/activity_events.h"
#include "experiment/queue/queue_loop.h"
#include "experiment/queue/queue_probe.h"
#include "experiment/worker_plan.h"
#include "session/trace_tables.h"
#include "workload/hazards.h"
#include "workload/verify.h"

namespace aaco {

AACO_JSON_FIELDS(QueueInspection, work, devices, communicator, verification, notes)

namespace {

Json properties_json(const DeviceProperties& properties) {
  return {{"id", properties.id},
          {"name", properties.name},
          {"architecture", properties.architecture},
          {"driver", properties.driver},
          {"runtime", properties.runtime},
          {"gemm_library", properties.gemm_library},
          {"memory_bytes", properties.memory_bytes},
          {"compute_units", properties.compute_units},
          {"wave_lanes", properties.wave_lanes},
          {"lowest_priority", properties.lowest_priority},
          {"highest_priority", properties.highest_priority}};
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
    inspection.devices.push_back(properties_json(device->properties()));
  }
  const CommunicatorInfo& info = workload->communicator->info();
  inspection.communicator = {{"ranks", info.ranks}, {"library", info.library}, {"emulated", info.emulated}};
  inspection.notes = workload->instance->notes;
  if (request.check) {
    const std::vector<Hazard> hazards = find_hazards(workload->instance->iteration, info.ranks);
    if (!hazards.empty()) {
      return Error{ErrorKind::kBug, fmt::format("{}: its streams race: {}", request.workload, hazards.front().text),
                   ""};
    }
    AACO_ASSIGN(const DispatchMode mode, dispatch_mode_of(request));
    AACO_ASSIGN(inspection.verification, verify(*workload->instance, workload->target, mode, VerifyLimits()));
  }
  return Json(inspection);
}

Result<Json> measure(const QueueRequest& request, int64_t process) {
  QueueProcess result;
  result.process = process;
  result.pid = ::getpid();
  const int64_t begun = monotonic_ns();
  AACO_ASSIGN(const auto workload, prepare_workload(request));
  result.load_ms = static_cast<double>(monotonic_ns() - begun) / 1e6;
  AACO_ASSIGN(Recorder recorder, Recorder::create(request.folder, process));
  AACO_ASSIGN(const QueueLoopOutcome outcome, measure_queue(*workload, recorder, request));
  AACO_TRY(recorder.close());
  result.iterations = outcome.iterations;
  result.wall_ns = outcome.wall_ns;
  result.stationary = outcome.stationary;
  result.dispatch_p50_ns = outcome.dispatch_p50_ns;
  result.p50_ns = outcome.p50_ns;
  result.units_per_iteration = outcome.units_per_iteration;
  for (const Device* device : workload->devices) {
    const MemoryUse use = device->memory_use();
    result.allocated_bytes += use.allocated_bytes;
    result.peak_bytes += use.peak_bytes;
    if (use.reserved_bytes >= 0) {
      result.reserved_bytes = result.reserved_bytes.value_or(0) + use.reserved_bytes;
    }
  }
  result.interrupted = interrupted();
  return Json(result);
}

// The collector comes first: a vendor's interface wants to be there before the process's first call of it.
Result<Json> profile(const QueueRequest& request) {
  ActivitySink sink;
  AACO_ASSIGN(Backend * backend, backend_of(request.devices.front()));
  AACO_ASSIGN(const auto collector, backend->collect(sink));
  AACO_ASSIGN(const auto workload, prepare_workload(request));
  AACO_ASSIGN(const DispatchMode mode, dispatch_mode_of(request));
  AACO_ASSIGN(const auto dispatcher, make_dispatcher(mode, workload->instance->iteration, workload->target));
  for (int64_t i = 0; i < request.warmup; ++i) {
    AACO_TRY(dispatcher->enqueue());
  }
  AACO_TRY(synchronize(workload->target));
  AACO_TRY(collector->flush());
  sink.take();
  const int64_t start_ns = monotonic_ns();
  for (int64_t i = 0; i < request.iterations && !interrupted(); ++i) {
    AACO_TRY(dispatcher->enqueue());
    AACO_TRY(synchronize(workload->target));
  }
  const int64_t end_ns = monotonic_ns();
  AACO_TRY(collector->flush());
  const std::vector<ActivityRecord> records = sink.take();
  AACO_TRY(write_trace_tables(request.folder, events_of_activity(records, sink, workload->target, request.workload)));
  return Json{{"records", records.size()},
              {"dropped", sink.dropped_count()},
              {"iterations", request.iterations},
              {"wall_ns", end_ns - start_ns}};
}

Result<Json> do_role(const QueueRequest& request, const std::string& worker_role, int64_t process) {
  if (worker_role == role::kQueueCheck) {
    return inspect(request);
  }
  return worker_role == role::kQueueMeasure ? measure(request, process) : profile(request);
}

}  // namespace

bool is_queue_role(const std::string& worker_role) {
  return worker_role == role::kQueueCheck || worker_role == role::kQueueMeasure || worker_role == role::kQueueProfile ||
         worker_role == role::kQueueProbe;
}

Result<int> run_queue_worker(const std::filesystem::path& plan_file, const std::string& worker_role, int64_t process) {
  AACO_ASSIGN(const Json json, read_json(plan_file));
  if (worker_role == role::kQueueProbe) {
    AACO_ASSIGN(const auto request, from_json_value<QueueProbeRequest>(json, plan_file.string()));
    AACO_ASSIGN(const QueueProbeRun run, probe_queues(request));
    AACO_TRY(write_json(result_path(request.folder, worker_role, process), run));
    return 0;
  }
  AACO_ASSIGN(const auto request, from_json_value<QueueRequest>(json, plan_file.string()));
  AACO_ASSIGN(const Json result, do_role(request, worker_role, process));
  AACO_TRY(write_json(result_path(request.folder, worker_role, process), result));
  return 0;
}

}  // namespace aaco
