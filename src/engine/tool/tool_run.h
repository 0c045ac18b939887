// SPDX-License-Identifier: MIT
// A worker process under a vendor's profiler: what the tool wrote is kept in the bundle, and read into its trace.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/devices/tool_outcome.h"
#include "base/result.h"
#include "engine/spawn.h"
#include "engine/tool/vendor_tool.h"

namespace aaco {

// What several tools did, one after the other.
struct ToolRuns {
  std::vector<ToolOutcome> outcomes;  // of those that recorded something
  std::optional<Error> failure;       // of the first of the others
};

// Runs the worker that `spawn`, `role` and `process` name under the tool, with the bundle's folder profiler/<tool> for
// what it writes. `spawn.folder` must be one that no other worker has: what the
// worker measures there is disturbed, and nobody reads it. Errors: kUnavailable for a tool that fails, writes nothing,
// or nothing that can be read; kInterrupted.
Result<ToolOutcome> run_under_tool(const ToolProgram& tool, const SpawnOptions& spawn, const std::string& worker_role,
                                   int64_t process, const std::filesystem::path& bundle);

// Writes the tables of the bundle's trace: what the tools recorded, a recording each. The clocks of their processes are
// one, that of the machine, where a tool gives it. Errors: as read_trace(), those of writing.
Result<void> write_trace_of_tools(const std::vector<ToolOutcome>& outcomes, const std::filesystem::path& bundle);

}  // namespace aaco
