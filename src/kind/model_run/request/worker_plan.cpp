// SPDX-License-Identifier: MIT
#include "kind/model_run/request/worker_plan.h"

#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(WorkerPlan, model, ort_library, backend, provider_options, session_entries, custom_ops,
                 intra_op_threads, inter_op_threads, batch, dims, shapes, registered_shapes, inputs, expected,
                 tolerance, index_limits, integer_dtype, flipped_masks, seed, iterations, warmup, profile_iterations,
                 calibration_model, calibration_nodes, tokens, load, folder, command_line)
AACO_JSON_FIELDS(PortNote, name, dtype, dims, values, sha256, why)
AACO_JSON_FIELDS(WorkerResult, facts, runtime_version, runtime_library, bound_on_device, intra_op_threads, batch,
                 inputs, outputs, outputs_finite, nonfinite_outputs, nonfinite_counts, suspects, flipped_masks,
                 denormal_operands, as_zero_p50_ns, as_zero_iterations, allocates_outputs, mismatches, profile_file,
                 profile_zero_ns, profile_clock_error_ns, device_journal, device_journal_missing, profile_skip_runs,
                 iterations, profiler_cost, device_roofs, interrupted)

std::filesystem::path optimized_model_path(const std::filesystem::path& folder) { return folder / "optimized.onnx"; }

}  // namespace aaco
