// SPDX-License-Identifier: MIT
// A worker process under a vendor's profiler: what the tool wrote is kept in the bundle, and read into its trace.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "experiment/spawn.h"
#include "experiment/tool/vendor_tool.h"

namespace aaco {

// What the bundle's profiler/tool.json says.
struct ToolOutcome {
  std::string tool;
  std::string version;
  CommandLine command;
  std::string folder;  // within the bundle
  struct File {
    std::string path;    // within the bundle
    std::string format;  // that it was read as; empty: kept only
    uint64_t bytes = 0;
  };
  std::vector<File> files;
  uint64_t events = 0;
};

void to_json(Json& json, const ToolOutcome& outcome);

// Runs the worker that `spawn`, `role` and `process` name under the tool, with the bundle's folder profiler/<tool> for
// what it writes, and writes the tables of the trace. `spawn.folder` must be one that no other worker has: what the
// worker measures there is disturbed, and nobody reads it. Errors: kUnavailable for a tool that fails, writes nothing,
// or nothing that can be read; kInterrupted.
Result<ToolOutcome> run_under_tool(const FoundTool& tool, const SpawnOptions& spawn, const std::string& worker_role,
                                   int64_t process, const std::filesystem::path& bundle);

}  // namespace aaco
