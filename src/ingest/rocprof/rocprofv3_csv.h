// SPDX-License-Identifier: MIT
// rocprofv3's CSV files (--output-format csv), of every kind and of both generations: agents as numbers or as
// "Agent 4", with or without streams and process ids. One run leaves a file for each kind, PREFIX_kernel_trace.csv and
// so on: together they are one recording. Format: ROCm/rocm-systems, projects/rocprofiler-sdk,
// source/lib/output/generateCSV.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/trace_format.h"

namespace aaco {

bool is_rocprofv3_csv(std::string_view head);
Result<void> read_rocprofv3_csv(const TraceInput& input, EventTable& into);

// "out/1234" of "out/1234_kernel_trace.csv".
std::string rocprofv3_recording(const std::filesystem::path& path);

}  // namespace aaco
