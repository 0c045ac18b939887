// SPDX-License-Identifier: MIT
// A session as the guard keeps and judges it. Of a trace the samples are its figures: window, computation, exposed
// communication, exposed copies, idle, and the total of each of the longest kernels. Each has one value, because a
// trace is one launch: its devices wait for each other and do not replicate it.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "analysis/timeline/trace_summary.h"
#include "kind/compared_session.h"
#include "record/events/string_table.h"

namespace aaco {

struct GuardedSession {
  const Kind* kind = nullptr;
  bool is_run = false;  // judged node by node; else sample by sample
  ComparedSession session;
};

// Errors: kUsage for a session of a kind that is not compared, and as load_session.
Result<GuardedSession> load_guarded_session(const std::string& sessions, const std::string& session);

// The figures of a trace in nanoseconds, by name: of the window the longest of all devices, else the mean over devices,
// where one without that kind of time counts as zero. What is zero on each device is left out. `strings`: of the trace.
std::map<std::string, double> trace_figures(const TraceSummary& summary, const StringTable& strings);

// Steps that PyTorch's profiler marked in a trace, the most of any group of ranks; 0 where it marked none.
size_t trace_steps(const TraceSummary& summary);

}  // namespace aaco
