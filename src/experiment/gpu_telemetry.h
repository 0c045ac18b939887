// SPDX-License-Identifier: MIT
// Samples of GPUs into a journal while a run goes on.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "observe/telemetry/sampler.h"
#include "session/row_journal.h"
#include "trace/gpu_sample.h"

namespace aaco {

// The collector that samples the devices of a backend ("cuda", "tensorrt", "hip", "rocm", "migraphx"); none for a CPU.
std::optional<std::string> gpu_collector_of(const std::string& backend);

// Samples from start() on, until stop() or until it goes away.
class GpuTelemetry {
 public:
  // `gpus`: PCI addresses; empty: all that the collector sees. Errors: the journal's, the collector's.
  static Result<std::unique_ptr<GpuTelemetry>> start(const std::filesystem::path& journal, const std::string& collector,
                                                     const std::vector<std::string>& gpus);

  struct Samples {
    SamplerCost cost;
    std::vector<GpuSampleRow> rows;
  };
  // Errors: that of a row that could not be stored (a full disk).
  Result<Samples> stop();

 private:
  GpuTelemetry() = default;
  std::filesystem::path path_;
  std::unique_ptr<RowJournalWriter<GpuSampleRow>> journal_;
  std::unique_ptr<Sampler> sampler_;  // after the journal that it writes to, so that it ends first
};

}  // namespace aaco
