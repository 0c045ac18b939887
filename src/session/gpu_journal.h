// SPDX-License-Identifier: MIT
// Samples of GPUs while a run goes on: journal/gpu.jrn, which becomes telemetry/gpu_samples.parquet.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "session/journal.h"
#include "trace/gpu_sample.h"

namespace aaco {

// NaN is null; so is every bit of clock_event_bits.
struct GpuJournalRow {
  int64_t t_ns;
  double core_clock_mhz;
  double memory_clock_mhz;
  double power_w;
  double temperature_c;
  double busy_pct;
  uint64_t clock_event_bits;
  std::array<char, 24> device;  // ends with zeros
  std::array<char, 8> vendor;
};
GpuJournalRow to_journal_row(const GpuSampleRow& row);
GpuSampleRow from_journal_row(const GpuJournalRow& row);

Result<JournalWriter> create_gpu_journal(const std::filesystem::path& path);
// Errors: kUsage for a damaged journal, or one that holds something else.
Result<std::vector<GpuSampleRow>> read_gpu_journal(const std::filesystem::path& path);

}  // namespace aaco
