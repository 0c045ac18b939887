// SPDX-License-Identifier: MIT
#include "experiment/run_request.h"

#include <charconv>
#include <fmt/format.h>
#include <sched.h>
#include <string_view>

namespace aaco {

AACO_JSON_FIELDS(TokenRequest, prompt, generated)
AACO_JSON_FIELDS(RunRequest, model, backend, batch, dims, precision, iterations, warmup, processes, profile, telemetry,
                 sessions, seed, threads, inter_op_threads, pin, inputs, expected, tolerance, options, parameters,
                 tokens, ort_library, kind, command_line)

Result<std::vector<int>> parse_processors(const std::string& text) {
  const Error bad{ErrorKind::kUsage, fmt::format("'{}' is not a list of processors", text), "write it as 0-3,8"};
  std::vector<int> processors;
  std::string_view rest = text;
  while (!rest.empty()) {
    int first = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), first);
    if (problem != std::errc() || first < 0) {
      return bad;
    }
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    int last = first;
    if (rest.starts_with('-')) {
      rest.remove_prefix(1);
      const auto [last_end, last_problem] = std::from_chars(rest.data(), rest.data() + rest.size(), last);
      if (last_problem != std::errc() || last < first) {
        return bad;
      }
      rest.remove_prefix(static_cast<size_t>(last_end - rest.data()));
    }
    if (last >= CPU_SETSIZE) {
      return bad;
    }
    for (int processor = first; processor <= last; ++processor) {
      processors.push_back(processor);
    }
    if (!rest.empty() && !rest.starts_with(',')) {
      return bad;
    }
    rest.remove_prefix(rest.empty() ? 0 : 1);
  }
  return processors.empty() ? Result<std::vector<int>>(bad) : processors;
}

}  // namespace aaco
