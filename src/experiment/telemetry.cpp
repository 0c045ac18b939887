// SPDX-License-Identifier: MIT
#include "experiment/telemetry.h"

#include <utility>

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

Result<std::unique_ptr<Telemetry>> Telemetry::start(const std::filesystem::path& bundle, const CollectorInfo& collector,
                                                    CollectorOptions options) {
  auto telemetry = std::unique_ptr<Telemetry>(new Telemetry(bundle, collector.id));
  for (const char* table : collector.tables) {
    AACO_TRY(telemetry->journals_.create(table));
  }
  options.sinks = telemetry->journals_.sinks();
  Result<std::unique_ptr<Collector>> made = collector.make(std::move(options));
  const Result<void> started = made ? (*made)->start() : Result<void>(made.error());
  if (!started) {
    telemetry->journals_.discard();
    return started.error();
  }
  telemetry->collector_ = std::move(*made);
  if (!telemetry->collector_->pushes()) {
    telemetry->sampler_ = std::make_unique<Sampler>(telemetry->collector_);
  }
  return telemetry;
}

Telemetry::~Telemetry() { end(); }

void Telemetry::end() {
  if (sampler_) {
    cost_ = std::exchange(sampler_, nullptr)->stop();
  } else if (collector_ && collector_->pushes()) {
    collector_->stop();
    cost_.samples = journals_.row_count();
  }
}

Result<Telemetry::Outcome> Telemetry::stop() {
  end();
  AACO_TRY(journals_.close());
  return Outcome{cost_, collector_->plane()};
}

}  // namespace aaco
