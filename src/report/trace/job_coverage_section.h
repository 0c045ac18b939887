// SPDX-License-Identifier: MIT
// How much of its job a trace holds: which ranks, of how many, and which shards of an import that was shared out.
#pragma once

#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "trace/event_table.h"
#include "trace/trace_origin.h"

namespace aaco::report {

// The shard and, where recordings say it, the number of ranks of their job.
Json job_coverage_json(const std::optional<TraceShard>& shard, const EventTable& events);
// Empty where nothing says that anything of the job is not here.
std::string job_coverage_text(const std::optional<TraceShard>& shard, const EventTable& events);

}  // namespace aaco::report
