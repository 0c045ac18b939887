// SPDX-License-Identifier: MIT
// What rocm-smi --json ({"card0": {...}}) and amd-smi --json (a list of {"gpu": 0, ...}, bare or as "gpu_data") print.
// The names of readings differ from version to version and are kept as they are. Members of a device's list of objects
// are numbered: "process_list[0].process_info.pid"; a list of anything else is a text. Lines of a log before the JSON
// become metadata.
#pragma once

#include <string_view>

#include "base/result.h"
#include "ingest/trace_format.h"

namespace aaco {

bool is_amd_smi(std::string_view head);

// Errors: kUsage where it is no such JSON, as a whole.
Result<void> read_amd_smi(const TraceInput& input, EventTable& into);

}  // namespace aaco
