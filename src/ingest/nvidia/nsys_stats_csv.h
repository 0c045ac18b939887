// SPDX-License-Identifier: MIT
// What `nsys stats --format csv` writes: the reports that are traces (cuda_gpu_trace, cuda_api_trace,
// nvtx_pushpop_trace, nvtx_startend_trace, nvtx_gpu_proj_trace), with what it says before the table, and those that are
// sums (their rows are untimed). Times are in nanoseconds from the session's start, its default; reports in other units
// are not known as such.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/trace_format.h"

namespace aaco {

bool is_nsys_stats_csv(std::string_view head);
Result<void> read_nsys_stats_csv(const TraceInput& input, EventTable& into);

// "out/run" of "out/run_cuda_gpu_trace.csv": the reports of one session.
std::string nsys_stats_recording(const std::filesystem::path& path);

}  // namespace aaco
