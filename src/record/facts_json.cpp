// SPDX-License-Identifier: MIT
// How the facts about a run and its states stand in session.json.
#include "base/json/json.h"
#include "record/plane_state.h"
#include "record/recording.h"
#include "record/session_status.h"

namespace aaco {

void to_json(Json& json, SessionStatus status) { json = session_status_name(status); }

void from_json(const Json& json, SessionStatus& status) {
  status = parse_session_status(json.get_ref<const std::string&>()).value_or(SessionStatus::kUnknown);
}

void to_json(Json& json, PlaneStatus status) { json = plane_status_name(status); }

void from_json(const Json& json, PlaneStatus& status) {
  status = parse_plane_status(json.get_ref<const std::string&>()).value_or(PlaneStatus::kUnknown);
}

AACO_JSON_FIELDS(PlaneState, state, reason)
AACO_JSON_FIELDS(QuotaGroup, group, limit, processors, periods, throttled_periods, throttled_ns, burst_periods)
AACO_JSON_FIELDS(QuotaFacts, groups, held_ns, processors, unavailable)
AACO_JSON_FIELDS(ProcessFacts, process, role, pid, load_ms, first_run_ms, warmup_iterations, stationary, t_start_ns,
                 t_end_ns, harness_ns, run_delay_ns, run_delay_known, cpu_time_ns, off_cpu_ns, awaited_ns,
                 involuntary_switches, voluntary_switches, others_share, quota)
AACO_JSON_FIELDS(ProfilerCost, per_node_ns, bound_ns, resolution_ns, events_lost, event_limit_hit, iterations,
                 dispatch_ns)
AACO_JSON_FIELDS(Roofs, flops_per_s, bytes_per_s, launch_ns, device, threads, measured_at, instructions, unavailable)
AACO_JSON_FIELDS(DenormalFacts, weights, weights_read, tensors, operands, as_zero_p50_ns, as_zero_iterations,
                 as_zero_missing)
AACO_JSON_FIELDS(RunFacts, model_name, model_path, model_sha256, backend, provider, device_kind, batch, dims,
                 input_shapes, precision_requested, precision_executed, intra_op_threads, inter_op_threads, processors,
                 processes, warmup_minimum, iterations, seed, prompt_tokens, generated_tokens, nodes_original,
                 nodes_optimized, nodes_by_provider, outputs_finite, nonfinite_outputs, made_suspects, denormals,
                 interleave_group, runtime_version, process_facts, profiler_cost, roofs, roofs_unavailable,
                 microkernel_ns, batch_exponent)

}  // namespace aaco
