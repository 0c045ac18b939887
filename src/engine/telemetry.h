// SPDX-License-Identifier: MIT
// What a collector records into the journals of a bundle while a run goes on.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "observe/telemetry/sampler.h"
#include "session/collected_tables.h"

namespace aaco {

// The collector that samples the devices of a backend ("cuda", "tensorrt", "hip", "rocm", "migraphx"); none for a CPU.
std::optional<std::string> gpu_collector_of(const std::string& backend);

// The collector that tells of the same devices where that one cannot start; none: there is no other.
std::optional<std::string> collector_after(const std::string& collector);

// Records from start() on, until stop() or until it goes away.
class Telemetry {
 public:
  // The sinks of `options` are set here; `period_ns`: of a collector that is polled. Errors: the journals', the
  // collector's.
  static Result<std::unique_ptr<Telemetry>> start(const std::filesystem::path& bundle, const CollectorInfo& collector,
                                                  CollectorOptions options, int64_t period_ns = kDefaultSamplePeriodNs);
  Telemetry(const Telemetry&) = delete;
  Telemetry& operator=(const Telemetry&) = delete;
  ~Telemetry();

  // What the collector says of itself so far: of one that pushes, the source that it took.
  CollectorPlane plane() const { return collector_->plane(); }

  struct Outcome {
    SamplerCost cost;  // of a collector that pushes: no period, and how many rows it pushed as samples
    CollectorPlane plane;
  };
  // Errors: that of a row that could not be stored (a full disk); the rows before it are there.
  Result<Outcome> stop();

 private:
  Telemetry(const std::filesystem::path& bundle, const std::string& writer) : journals_(bundle, writer) {}
  void end();

  CollectedJournals journals_;
  std::shared_ptr<Collector> collector_;  // after the journals that it pushes to, so that it ends first
  std::unique_ptr<Sampler> sampler_;      // of one that is polled
  SamplerCost cost_;
};

}  // namespace aaco
