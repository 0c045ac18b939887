// SPDX-License-Identifier: MIT
#include "experiment/worker_plan.h"

#include <fmt/format.h>

#include "base/json.h"

namespace aaco {

AACO_JSON_FIELDS(WorkerPlan, model, ort_library, backend, provider_options, session_entries, custom_ops,
                 intra_op_threads, inter_op_threads, batch, dims, shapes, registered_shapes, inputs, expected,
                 tolerance, index_limits, integer_dtype, flipped_masks, seed, iterations, warmup, profile_iterations,
                 calibration_model, calibration_nodes, tokens, folder, command_line)
AACO_JSON_FIELDS(PortNote, name, dtype, dims, values, sha256, why)
AACO_JSON_FIELDS(WorkerResult, facts, runtime_version, runtime_library, bound_on_device, intra_op_threads, batch,
                 inputs, outputs, outputs_finite, nonfinite_outputs, nonfinite_counts, suspects, flipped_masks,
                 denormal_operands, as_zero_p50_ns, as_zero_iterations, allocates_outputs, mismatches, profile_file,
                 profile_zero_ns, profile_skip_runs, iterations, profiler_cost, interrupted)

std::filesystem::path result_path(const std::filesystem::path& folder, const std::string& role, int64_t process) {
  return folder / fmt::format("result_{}_{}.json", role, process);
}

std::filesystem::path optimized_model_path(const std::filesystem::path& folder) { return folder / "optimized.onnx"; }

}  // namespace aaco
