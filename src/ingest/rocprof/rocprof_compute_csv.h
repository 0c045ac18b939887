// SPDX-License-Identifier: MIT
// The files of a workload that rocprof-compute (or omniperf) profiled: pmc_perf.csv in the wide form (a column for each
// counter) or the long one (a row for each), the passes before they are merged (pmc_perf_N.csv, SQ_*.csv,
// timestamps.csv), sysinfo.csv and roofline.csv. Counters are taken in many runs of the program: a dispatch counts
// once, with the times of timestamps.csv, else of pmc_perf.csv, else of the first pass that says them; the others are
// untimed kernels with the length that they took. The kernels' files of omniperf 1 are read by rocprof_csv.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/trace_format.h"

namespace aaco {

bool is_rocprof_compute_csv(std::string_view head);
Result<void> read_rocprof_compute_csv(const TraceInput& input, EventTable& into);

// By its name.
enum class WorkloadFile : uint8_t { kNone, kTimes, kOther };
WorkloadFile workload_file(const std::filesystem::path& path);

// The folder: a workload has one of its own.
std::string rocprof_compute_recording(const std::filesystem::path& path);

}  // namespace aaco
