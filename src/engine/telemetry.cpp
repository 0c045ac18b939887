// SPDX-License-Identifier: MIT
#include "engine/telemetry.h"

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

std::optional<std::string> collector_after(const std::string& collector) {
  return collector == "amdgpu" ? std::optional<std::string>("amdsmi") : std::nullopt;
}

Result<std::unique_ptr<Telemetry>> Telemetry::start(const std::filesystem::path& bundle, const CollectorInfo& collector,
                                                    CollectorOptions options, int64_t period_ns) {
  auto telemetry = std::unique_ptr<Telemetry>(new Telemetry(bundle, collector.id));
  for (const char* table : collector.tables) {
    AACO_TRY(telemetry->journals_.create(table));
  }
  options.sinks = telemetry->journals_.sinks();
  Result<std::unique_ptr<Collector>> sampler = collector.make(std::move(options));
  const Result<void> started = sampler ? (*sampler)->start() : Result<void>(sampler.error());
  if (!started) {
    telemetry->journals_.discard();
    return started.error();
  }
  telemetry->collector_ = std::move(*sampler);
  if (!telemetry->collector_->pushes()) {
    AACO_ASSIGN(telemetry->sampler_, Sampler::start(telemetry->collector_, period_ns));
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
