// SPDX-License-Identifier: MIT
// Traces as a user names them: files and folders as profilers wrote them, or the session of an earlier import.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/process/launcher.h"
#include "base/result.h"
#include "record/events/event_table.h"
#include "record/events/trace_origin.h"

namespace aaco::imports {

struct TraceRequest {
  std::vector<std::string> paths;
  std::string rank_from;  // take_ranks_from_names()' pattern; empty: ranks are what the files say
};

struct LoadedTrace {
  TraceOrigin origin;
  EventTable events;
  std::optional<JobShare> share;  // of a job; what other processes of it load is not here
  int64_t filled_shares = 1;
};

// One session folder that holds a trace, or any number of files and folders; of these a share. Errors: kUsage.
Result<LoadedTrace> load_trace(const TraceRequest& request, const std::optional<JobShare>& share = std::nullopt);

}  // namespace aaco::imports
