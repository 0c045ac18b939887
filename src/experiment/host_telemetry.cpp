// SPDX-License-Identifier: MIT
#include "experiment/host_telemetry.h"

namespace aaco {

Result<std::unique_ptr<HostTelemetry>> HostTelemetry::start(const std::filesystem::path& journal,
                                                            const std::atomic<int64_t>& measured_pid) {
  auto telemetry = std::unique_ptr<HostTelemetry>(new HostTelemetry);
  AACO_ASSIGN(auto writer, RowJournalWriter<SystemRow>::create(journal));
  telemetry->journal_ = std::make_unique<RowJournalWriter<SystemRow>>(std::move(writer));
  CollectorOptions options;
  options.measured_pid = &measured_pid;
  options.on_system_row = [rows = telemetry->journal_.get()](const SystemRow& row) {
    rows->append(row);  // a failed one is told by close()
  };
  AACO_ASSIGN(auto collector, find_collector("host")->make(options));
  telemetry->sampler_ = std::make_unique<Sampler>(std::move(collector));
  return telemetry;
}

Result<SamplerCost> HostTelemetry::stop() {
  const SamplerCost cost = sampler_->stop();
  AACO_TRY(journal_->close());
  return cost;
}

}  // namespace aaco
