// SPDX-License-Identifier: MIT
#include "kind/training/worker/training_worker.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "device/backend.h"
#include "engine/activity/stream_numbers.h"
#include "engine/device_facts.h"
#include "engine/roofs/memory_roof.h"
#include "engine/roofs/product_roof.h"
#include "engine/worker_role.h"
#include "kind/training/document/training_request.h"
#include "kind/training/worker/gate_checks.h"
#include "kind/training/worker/part_times.h"
#include "kind/training/worker/recorded_steps.h"
#include "kind/training/worker/training_loop.h"
#include "record/device/activity_table.h"
#include "session/trace_tables.h"
#include "workload/training/llama_counts.h"

namespace aaco {

AACO_JSON_FIELDS(TrainingInspection, work, device, types, gates, kernels_unavailable, notes)
AACO_JSON_FIELDS(TrainingRoofs, products, memory, memory_unavailable)

namespace {

constexpr int64_t kArrayBytes = 512 << 20;  // ten times the last cache of today's GPUs

// Before the device is opened: its module reads the variable when it meets a product for the first time.
Result<TrainingRequest> request_of(const WorkerTask& task) {
  AACO_ASSIGN(TrainingRequest request, from_json_value<TrainingRequest>(task.plan, task.plan_file.string()));
  if (request.deterministic) {
    ::setenv("AACO_GEMM_TUNE", "0", 1);
  }
  return request;
}

TrainingWork work_of_training(const LlamaTraining& training) {
  const Program& step = training.instance->iteration;
  TrainingWork work;
  work.parameters = llama_parameter_count(training.config.shape);
  work.tokens = training.config.tokens();
  work.sequences = training.config.sequences;
  work.operations = step.kernels();
  work.flops = step.flops();
  work.model_flops = llama_model_flops(training.config).total();
  work.ideal_bytes = step.ideal_bytes();
  work.streams = step.used_streams();
  work.parts = parts_of(training);
  work.modules = modules_of(training);
  const TrainingMemory memory = llama_memory(training.config);
  work.memory = {{"weights", memory.weights}, {"gradients", memory.gradients},
                 {"moments", memory.moments}, {"activations", memory.activations},
                 {"working", memory.working}, {"data", memory.data},
                 {"all", memory.total()}};
  work.pytorch_peak_bytes = pytorch_peak_bytes(training.config);
  return work;
}

std::map<std::string, std::string> types_of(const LlamaConfig& config) {
  const std::string kept = name_of(config.precision.dtype);
  const std::string products = config.precision.dtype != Dtype::kF32      ? kept + ", summed in fp32"
                               : config.precision.math == MathMode::kTf32 ? "tf32, summed in fp32"
                                                                          : "fp32";
  return {{"products", products},
          {"activations and their gradients", kept},
          {"residual path", kept},
          {"weights that products read", kept},
          {"weights that the optimiser changes", "fp32"},
          {"gradients of weights",
           config.precision.dtype == Dtype::kF32 ? kept : kept + " of the layers' products, fp32 of the others"},
          {"optimiser's moments", "fp32"},
          {"sums within kernels", "fp32"},
          {"loss", "fp32"}};
}

void add_memory(const PreparedTraining& prepared, TrainingProcess& process) {
  const MemoryUse use = prepared.device->memory_use();
  process.allocated_bytes = use.allocated_bytes;
  process.peak_bytes = use.peak_bytes;
  process.library_bytes = use.library_bytes;
  if (use.reserved_bytes >= 0) {
    process.reserved_bytes = use.reserved_bytes;
  }
}

}  // namespace

Result<Json> training_check_role(const WorkerTask& task) {
  AACO_ASSIGN(const TrainingRequest request, request_of(task));
  TrainingInspection inspection;
  std::optional<ExecutedKernels> kernels;  // before the device is opened, and it outlives what runs there
  if (request.check) {
    kernels.emplace(request.device);
  }
  AACO_ASSIGN(const auto prepared, prepare_training(request));
  inspection.work = work_of_training(prepared->training);
  inspection.device = facts_of(prepared->device->properties());
  inspection.types = types_of(prepared->training.config);
  AACO_ASSIGN(const LlamaVersion* version, llama_version_of(request));
  inspection.notes.push_back(fmt::format("version {}, {}: {}", version->number, version->name, version->summary));
  if (kernels) {
    AACO_ASSIGN(inspection.gates, check_gates(*prepared, request, *kernels));
    inspection.kernels_unavailable = kernels->unavailable();
  }
  return Json(inspection);
}

Result<Json> training_roof_role(const WorkerTask& task) {
  AACO_ASSIGN(const TrainingRequest request, request_of(task));
  AACO_ASSIGN(const LlamaConfig config, llama_config_of(request));
  AACO_ASSIGN(Device * device, open_device(request.device));
  TrainingRoofs roofs;
  AACO_ASSIGN(roofs.products, measure_product_roof(*device, config.precision, request.precision));
  if (const DeviceProperties& properties = device->properties(); properties.wave_lanes > 1) {
    AACO_ASSIGN(roofs.memory, measure_memory_roof(*device, std::min(kArrayBytes, properties.memory_bytes / 16)));
  }
  return Json(roofs);
}

Result<Json> training_measure_role(const WorkerTask& task) {
  AACO_ASSIGN(const TrainingRequest request, request_of(task));
  const int64_t begun = monotonic_ns();
  AACO_ASSIGN(const auto prepared, prepare_training(request));
  TrainingProcess process;
  process.process = task.process;
  process.pid = ::getpid();
  process.load_ms = static_cast<double>(monotonic_ns() - begun) / 1e6;
  AACO_ASSIGN(Recorder recorder, Recorder::create(request.folder, task.process));
  AACO_TRY(measure_training(*prepared, recorder, request, process));
  AACO_TRY(recorder.close());
  add_memory(*prepared, process);
  process.interrupted = interrupted();
  return Json(process);
}

Result<Json> training_parts_role(const WorkerTask& task) {
  AACO_ASSIGN(const TrainingRequest request, request_of(task));
  AACO_ASSIGN(const auto prepared, prepare_training(request));
  TrainingProcess process;
  process.process = task.process;
  process.pid = ::getpid();
  AACO_ASSIGN(process.parts, time_parts(*prepared, request.steps));
  AACO_ASSIGN(process.modules, time_modules(*prepared, request.steps));
  return Json(process);
}

// The collector comes first: a vendor's interface wants to be there before the process's first call of it.
Result<Json> training_activity_role(const WorkerTask& task) {
  AACO_ASSIGN(const TrainingRequest request, request_of(task));
  ActivityTable sink;
  AACO_ASSIGN(Backend * backend, backend_of(request.device));
  AACO_ASSIGN(const auto collector, backend->collect(sink));
  AACO_ASSIGN(const auto prepared, prepare_training(request));
  AACO_ASSIGN(EventTable events, record_steps(*prepared, request, *collector, sink));
  TrainingActivity activity = activity_of(events);
  activity.uses = kernel_uses(events, prepared->device->properties().compute_unit);
  if (request.profile) {
    name_recording(events, prepared->target, "training");
    AACO_TRY(write_trace_tables(request.folder, events));
    AACO_ASSIGN(const EventTable step, record_step_phases(*prepared, *collector, sink));
    AACO_TRY(write_trace_tables(std::filesystem::path(request.folder) / kStepFolder, step));
  }
  return Json(activity);
}

}  // namespace aaco
