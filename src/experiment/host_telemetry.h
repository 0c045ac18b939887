// SPDX-License-Identifier: MIT
// Host samples into a journal while a run goes on.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "base/result.h"
#include "observe/telemetry/sampler.h"
#include "session/row_journal.h"

namespace aaco {

// Samples from start() on, until stop() or until it goes away.
class HostTelemetry {
 public:
  // `measured_pid` is the process that is sampled besides the machine, 0 between processes; it must outlive this.
  // Errors: the journal's, the collector's.
  static Result<std::unique_ptr<HostTelemetry>> start(const std::filesystem::path& journal,
                                                      const std::atomic<int64_t>& measured_pid);

  // What the sampling cost. Errors: that of a row that could not be stored (a full disk); the rows before it are there.
  Result<SamplerCost> stop();

 private:
  HostTelemetry() = default;
  std::unique_ptr<RowJournalWriter<SystemRow>> journal_;
  std::unique_ptr<Sampler> sampler_;  // after the journal that it writes to, so that it ends first
};

}  // namespace aaco
