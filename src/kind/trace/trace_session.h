// SPDX-License-Identifier: MIT
// A trace as a session: its events, where it came from, the tables of its analyses.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "kind/trace/trace_memory.h"
#include "kind/trace/trace_source.h"
#include "record/events/event_table.h"
#include "record/events/loss_table.h"
#include "session/session.h"

namespace aaco::imports {

// Of kind "trace", or one with a profiled process. Errors: kUsage where it holds no trace.
Result<LoadedTrace> load_trace_session(const std::filesystem::path& session);

// The tables of a trace's analyses into a session. With the losses that the analyses found too.
Result<LossTable> write_analyses(SessionWriter& session, const EventTable& events);

struct SavedTrace {
  std::filesystem::path session;
  std::string no_analyses;  // why the tables of the analyses are not in it; empty: they are
  LossTable losses;         // of the reading, and what analyses could not join where they are in it
};
// A closed session of kind "trace" below `sessions_root`. What fails leaves a session that says so.
Result<SavedTrace> save_trace(const LoadedTrace& trace, const ImportMemory& memory, const std::string& sessions_root,
                              const std::vector<std::string>& command_line);

}  // namespace aaco::imports
