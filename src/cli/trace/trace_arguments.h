// SPDX-License-Identifier: MIT
// Flags that the `aaco trace` commands share: which trace, and which roofs its operators are held against.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/command/command_line.h"

#include "kind/trace/trace_roofs.h"
#include "kind/trace/trace_source.h"

namespace aaco {

void add_trace_arguments(cli::Command command, imports::TraceRequest& into);
void add_roof_flags(cli::Command command, imports::RoofRequest& into);

// A file, a folder or a session's path as it is; else the path of the session that the word names, as sessions are
// named ("latest", the beginning of an id); the word where it names none.
std::string trace_path(const std::string& word, const std::string& sessions = "sessions");

// The request with each of its names so.
imports::TraceRequest with_paths(imports::TraceRequest request);

// For what cannot say it itself, on the standard error: the trace is a shard of an import and so a part of its job.
void warn_of_shard(const imports::LoadedTrace& trace);

// The files that were read: those of the trace, and all that is recorded in sessions among the paths that the user
// named.
std::vector<std::filesystem::path> inputs_of(const std::vector<std::string>& named, const imports::LoadedTrace& trace);

// Of a folder that files with this extension are written into: kUsage where one that is there is an input.
Result<void> expect_no_input_within(const std::filesystem::path& folder, const std::string& extension,
                                    const std::vector<std::filesystem::path>& inputs);

}  // namespace aaco
