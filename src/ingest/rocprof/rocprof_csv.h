// SPDX-License-Identifier: MIT
// The first rocprof's CSV files: results.csv (a row for each kernel, with times, counters or both) and the statistics
// beside it (.stats, .hip_stats, .hsa_stats, .copy_stats). Times are the system clock's of the GPU's driver. Kernels
// carry no id of their launching calls.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/trace_format.h"

namespace aaco {

bool is_rocprof_csv(std::string_view head);
Result<void> read_rocprof_csv(const TraceInput& input, EventTable& into);

// "out/results" of "out/results.hip_stats.csv".
std::string rocprof_recording(const std::filesystem::path& path);

}  // namespace aaco
