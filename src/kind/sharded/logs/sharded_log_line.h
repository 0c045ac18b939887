// SPDX-License-Identifier: MIT
// One line of a rank_*_metrics.jsonl: what one rank tells of one step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace aaco::imports {

struct ShardedLogLine {
  bool skipped = false;  // of the first steps that are to be left out: nothing else of it was read
  bool has_profile = false;
  std::optional<double> loss;
  std::optional<double> total_ms;
  std::optional<double> compute_ms;
  std::optional<double> overlap_ms;
  std::optional<double> communication_ms;
  std::optional<double> exposed_ms;
};

// A null is a value that the line does not have. Errors: kUsage, the message says what is wrong and not where: no JSON,
// no object, a field of another type than a number, which makes the whole line doubtful.
Result<ShardedLogLine> parse_sharded_log_line(std::string_view line, int64_t skip_steps);

}  // namespace aaco::imports
