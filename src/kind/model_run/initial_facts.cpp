// SPDX-License-Identifier: MIT
#include "kind/model_run/initial_facts.h"

#include <algorithm>

#include "kind/model_run/worker/nonfinite.h"
#include "observe/cgroup.h"

namespace aaco {

RunFacts initial_facts(const RunRequest& request, const ResolvedRun& run, const Inspection& inspection) {
  RunFacts facts;
  facts.model_name = run.model_name;
  facts.model_path = run.plan.model;
  facts.model_sha256 = run.model_file.sha256;
  facts.backend = request.backend;
  facts.provider = run.provider->provider;
  facts.device_kind = run.provider->device_kind;
  facts.batch = inspection.result.batch;
  facts.dims = request.dims;
  for (const PortNote& input : inspection.result.inputs) {
    facts.input_shapes[input.name] = input.dims;
  }
  facts.precision_requested = run.precision;
  facts.precision_executed = inspection.precision_executed;
  facts.intra_op_threads = inspection.result.intra_op_threads;
  facts.inter_op_threads = run.plan.inter_op_threads;
  facts.processors = usable_processors(HostFiles());
  if (!request.pin.empty()) {
    facts.processors = std::min(facts.processors, static_cast<int64_t>(request.pin.size()));
  }
  facts.processes = request.processes;
  facts.microkernel_ns = request.microkernel_us * 1e3;
  facts.warmup_minimum = run.plan.warmup;
  facts.iterations = run.plan.iterations;
  facts.seed = static_cast<int64_t>(run.plan.seed);
  facts.prompt_tokens = request.tokens ? request.tokens->prompt : 0;
  facts.generated_tokens = request.tokens ? request.tokens->generated : 0;
  facts.nodes_original = executed_nodes(inspection.original);
  facts.nodes_optimized = inspection.executed_nodes;
  facts.nodes_by_provider = inspection.nodes_by_provider;
  facts.runtime_version = inspection.result.runtime_version;
  facts.outputs_finite = inspection.result.outputs_finite;
  tell_nonfinite(inspection.result, inspection.original, request.inputs, facts);
  return facts;
}

std::map<std::string, PlaneState> planes_of(const RunRequest& request) {
  const auto requested = [](bool asked) {
    return asked ? PlaneState{PlaneStatus::kRecorded, ""} : PlaneState{PlaneStatus::kNotRequested, ""};
  };
  return {{"inference", {PlaneStatus::kRecorded, ""}},
          {"model", {PlaneStatus::kRecorded, ""}},
          {"profiler", requested(request.profile)},
          {"telemetry_host", requested(request.telemetry)},
          {"telemetry_gpu", request.telemetry ? PlaneState{PlaneStatus::kUnavailable, "the backend runs on no GPU"}
                                              : PlaneState{PlaneStatus::kNotRequested, ""}},
          {"kernel_plane", requested(request.kernel_plane)},
          {"device_activity", request.profile ? PlaneState{PlaneStatus::kUnavailable, "the backend runs on no GPU"}
                                              : PlaneState{PlaneStatus::kNotRequested, ""}},
          {"tool", requested(!request.with.empty())},
          {"tokens", requested(request.tokens.has_value())}};
}

}  // namespace aaco
