// SPDX-License-Identifier: MIT
// A worker process under a vendor's profiler: what the tool wrote is kept in the bundle, and read into its trace.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/documents/tool_outcome.h"
#include "base/result.h"
#include "experiment/spawn.h"
#include "experiment/tool/vendor_tool.h"

namespace aaco {

// Runs the worker that `spawn`, `role` and `process` name under the tool, with the bundle's folder profiler/<tool> for
// what it writes, and writes the tables of the trace. `spawn.folder` must be one that no other worker has: what the
// worker measures there is disturbed, and nobody reads it. Errors: kUnavailable for a tool that fails, writes nothing,
// or nothing that can be read; kInterrupted.
Result<ToolOutcome> run_under_tool(const FoundTool& tool, const SpawnOptions& spawn, const std::string& worker_role,
                                   int64_t process, const std::filesystem::path& bundle);

}  // namespace aaco
