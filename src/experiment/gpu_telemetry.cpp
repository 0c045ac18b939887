// SPDX-License-Identifier: MIT
#include "experiment/gpu_telemetry.h"

namespace aaco {

std::optional<std::string> gpu_collector_of(const std::string& backend) {
  if (backend == "cuda" || backend == "tensorrt") {
    return "nvml";
  }
  if (backend == "hip" || backend == "rocm" || backend == "migraphx") {
    return "amdgpu";
  }
  return std::nullopt;
}

Result<std::unique_ptr<GpuTelemetry>> GpuTelemetry::start(const std::filesystem::path& journal,
                                                          const std::string& collector,
                                                          const std::vector<std::string>& gpus) {
  auto telemetry = std::unique_ptr<GpuTelemetry>(new GpuTelemetry);
  telemetry->path_ = journal;
  AACO_ASSIGN(auto writer, RowJournalWriter<GpuSampleRow>::create(journal));
  telemetry->journal_ = std::make_unique<RowJournalWriter<GpuSampleRow>>(std::move(writer));
  CollectorOptions options;
  options.gpus = gpus;
  options.on_gpu_row = [rows = telemetry->journal_.get()](const GpuSampleRow& row) {
    rows->append(row);  // a failed one is told by close()
  };
  AACO_ASSIGN(auto made, find_collector(collector)->make(options));
  telemetry->sampler_ = std::make_unique<Sampler>(std::move(made));
  return telemetry;
}

Result<GpuTelemetry::Samples> GpuTelemetry::stop() {
  Samples taken;
  taken.cost = sampler_->stop();
  AACO_TRY(journal_->close());
  AACO_ASSIGN(taken.rows, read_row_journal<GpuSampleRow>(path_));
  return taken;
}

}  // namespace aaco
