// SPDX-License-Identifier: MIT
// What the `aaco trace` commands take: files and folders as profilers wrote them, or the session of an earlier import.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/trace_memory.h"

#include "base/launcher.h"
#include "base/result.h"
#include "report/trace_report.h"
#include "session/session.h"
#include "trace/event_table.h"
#include "trace/loss_table.h"

namespace aaco {

struct LoadedTrace {
  report::TraceOrigin origin;
  EventTable events;
  std::optional<JobShare> share;  // of a job; what other processes of it load is not here
  int64_t filled_shares = 1;
};

// What a user names as a trace.
struct TraceArguments {
  std::vector<std::string> paths;
  std::string rank_from;  // take_ranks_from_names()' pattern; empty: ranks are what the files say
};
void add_trace_arguments(cli::Command command, TraceArguments& into);

// For what cannot say it itself, on the standard error: the trace is a shard of an import and so a part of its job.
void warn_of_shard(const LoadedTrace& trace);

// One session folder of kind "trace", or any number of files and folders; of these a share. Errors: kUsage.
Result<LoadedTrace> load_trace(const TraceArguments& arguments, const std::optional<JobShare>& share = std::nullopt);

struct SavedTrace {
  std::filesystem::path session;
  std::string no_analyses;  // why the tables of the analyses are not in it; empty: they are
  LossTable losses;         // of the reading, and what analyses could not join where they are in it
};
// A closed session of kind "trace" below `sessions_root`. What fails leaves a session that says so.
Result<SavedTrace> save_trace(const LoadedTrace& trace, const ImportMemory& memory, const std::string& sessions_root,
                              const std::vector<std::string>& command_line);

}  // namespace aaco
