// SPDX-License-Identifier: MIT
// rocprofv3's results.json (--output-format json): a list of processes, each with its agents, kernel symbols and arrays
// of records. A record's object is a row whose names stand elsewhere in the file, before or behind it. Of code objects,
// host functions and symbols only what names kernels is kept. Format: ROCm/rocm-systems, projects/rocprofiler-sdk,
// source/docs/_extra/rocprofv3-schema.json.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "ingest/trace_format.h"

namespace aaco {

bool is_rocprofv3_json(std::string_view head);

// Devices have rocprofv3's own numbers ("Agent 4" of its CSV files); where the agents follow the records, or are
// missing, their handles. Errors: kUsage where the file holds no process's records.
Result<void> read_rocprofv3_json(const TraceInput& input, EventTable& into, size_t window_bytes = size_t{1} << 20);

}  // namespace aaco
