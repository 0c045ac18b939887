// SPDX-License-Identifier: MIT
#include "kind/model_run/request/run_request.h"

#include <algorithm>
#include <fmt/format.h>
#include <sched.h>

#include "base/json/json.h"
#include "observe/host_files.h"

namespace aaco {

AACO_JSON_FIELDS(TokenRequest, prompt, generated)
AACO_JSON_FIELDS(RunRequest, model, backend, batch, dims, shapes, precision, iterations, warmup, processes, profile,
                 with, telemetry, telemetry_hz, kernel_plane, sessions, seed, threads, inter_op_threads, pin, inputs,
                 expected, tolerance, options, parameters, tokens, load, ort_library, custom_ops, microkernel_us,
                 command_line)

Result<std::vector<int>> parse_processors(const std::string& text) {
  std::vector<int> processors = parse_processor_list(text).value_or(std::vector<int>());
  std::sort(processors.begin(), processors.end());
  processors.erase(std::unique(processors.begin(), processors.end()), processors.end());
  if (processors.empty() || processors.back() >= CPU_SETSIZE) {
    return Error{ErrorKind::kUsage, fmt::format("'{}' is not a list of processors", text), "write it as 0-3,8"};
  }
  return processors;
}

}  // namespace aaco
