// SPDX-License-Identifier: MIT
// Flags that the `aaco trace` commands share: which trace, and which roofs its operators are held against.
#pragma once

#include "cli/command/command_line.h"

#include "import/trace_roofs.h"
#include "import/trace_source.h"

namespace aaco {

void add_trace_arguments(cli::Command command, imports::TraceRequest& into);
void add_roof_flags(cli::Command command, imports::RoofRequest& into);

// For what cannot say it itself, on the standard error: the trace is a shard of an import and so a part of its job.
void warn_of_shard(const imports::LoadedTrace& trace);

// Errors: kUsage where `output` is one of the files that `trace` was read from.
Result<void> expect_no_input(const std::string& output, const imports::LoadedTrace& trace);

}  // namespace aaco
