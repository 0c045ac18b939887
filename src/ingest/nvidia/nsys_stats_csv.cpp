// SPDX-License-Identifier: MIT
#include "ingest/nvidia/nsys_stats_csv.h"

#include "ingest/table/csv_table.h"

namespace aaco {

namespace {

using enum ColumnRole;
using Names = std::string_view[];

constexpr ColumnMapping kColumns[] = {
    {"Start (ns)", kStart},
    {"Projected Start (ns)", kStart},
    {"End (ns)", kEnd},
    {"Duration (ns)", kDuration},
    {"Projected Duration (ns)", kDuration},
    {"Name", kName},
    {"CorrId", kCorrelation},  // of both spellings
    {"Pid", kProcess},
    {"Tid", kThread},
    {"Device", kDevice},
    {"Strm", kStream},
};
constexpr ColumnMapping kSumColumns[] = {{"Name", kName}, {"Operation", kName}, {"Range", kName}};

constexpr Names kGpuNeeds = {"Start (ns)", "Duration (ns)", "CorrId", "Device", "Strm", "Name"};
constexpr Names kApiNeeds = {"Start (ns)", "Duration (ns)", "Name", "CorrId", "Pid", "Tid"};
constexpr Names kProjectedNeeds = {"Name", "Projected Start (ns)", "Projected Duration (ns)", "Style"};
constexpr Names kRangeNeeds = {"Start (ns)", "End (ns)", "Duration (ns)", "Name", "PID"};
constexpr Names kTimeSumNeeds = {"Time (%)", "Total Time (ns)", "Avg (ns)"};
constexpr Names kOldTimeSumNeeds = {"Time(%)", "Total Time (ns)", "Average"};  // of older versions
constexpr Names kSizeSumNeeds = {"Total (MB)", "Count", "Avg (MB)", "Operation"};

// What is no kernel stands in brackets: "[CUDA memcpy HtoD]", "[CUDA Unified Memory memcpy DtoH]", "[Unified Memory GPU
// page faults]", which are none of the device's work.
EventKind kind_of_operation(std::string_view /*category*/, std::string_view name) {
  const auto has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
  return !name.starts_with("[")           ? EventKind::kKernel
         : has("memcpy") || has("Memcpy") ? EventKind::kCopy
         : has("memset") || has("Memset") ? EventKind::kSet
         : has("Unified Memory")          ? EventKind::kOther
                                          : EventKind::kKernel;
}

constexpr TableKind kKinds[] = {
    {.id = "cuda_gpu_trace", .needs = kGpuNeeds, .columns = kColumns, .kind_of = kind_of_operation},
    {.id = "cuda_api_trace", .needs = kApiNeeds, .columns = kColumns, .kind = EventKind::kHostCall},
    {.id = "nvtx_gpu_proj_trace", .needs = kProjectedNeeds, .columns = kColumns, .kind = EventKind::kDeviceRange},
    {.id = "nvtx_pushpop_trace", .needs = kRangeNeeds, .columns = kColumns, .kind = EventKind::kHostRange},
    {.id = "sums of times", .needs = kTimeSumNeeds, .columns = kSumColumns, .category = "statistics"},
    {.id = "sums of times", .needs = kOldTimeSumNeeds, .columns = kSumColumns, .category = "statistics"},
    {.id = "sums of sizes", .needs = kSizeSumNeeds, .columns = kSumColumns, .category = "statistics"},
};

constexpr CsvFormat kFormat{.kinds = kKinds, .remarks = true, .tables = true};

constexpr std::string_view kEndings[] = {"_cuda_gpu_trace.csv",
                                         "_cuda_api_trace.csv",
                                         "_nvtx_pushpop_trace.csv",
                                         "_nvtx_startend_trace.csv",
                                         "_nvtx_gpu_proj_trace.csv",
                                         "_cuda_gpu_kern_sum.csv",
                                         "_cuda_gpu_mem_time_sum.csv",
                                         "_cuda_gpu_mem_size_sum.csv",
                                         "_cuda_api_sum.csv",
                                         "_nvtx_sum.csv",
                                         "_osrt_sum.csv",
                                         "_gpukernsum.csv",  // of older versions' reports
                                         "_gpumemtimesum.csv",
                                         "_gpumemsizesum.csv",
                                         "_cudaapisum.csv",
                                         "_nvtxsum.csv",
                                         "_osrtsum.csv"};

}  // namespace

bool is_nsys_stats_csv(std::string_view head) { return is_csv_table(head, kFormat); }

Result<void> read_nsys_stats_csv(const TraceInput& input, EventTable& into) {
  return read_csv_table(input.bytes, input.name, input.recording, kFormat, into);
}

std::string nsys_stats_recording(const std::filesystem::path& path) {
  std::string text = path.string();
  for (const std::string_view ending : kEndings) {
    if (text.ends_with(ending)) {
      return text.substr(0, text.size() - ending.size());
    }
  }
  return text;
}

}  // namespace aaco
