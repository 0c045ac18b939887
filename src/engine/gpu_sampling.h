// SPDX-License-Identifier: MIT
// Clocks and power of the GPUs that a run measures, sampled beside it where they can be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/devices/device_clocks.h"
#include "analysis/devices/device_facts.h"
#include "engine/orchestrator.h"
#include "record/rows.h"

namespace aaco {

class GpuSampling {
 public:
  // `backend`: of the devices ("cuda"). Where they cannot be sampled the run goes on, and `notes` and the session's
  // plane say why; of a CPU there is nothing to sample.
  void start(Orchestrator& run, const std::string& backend, std::span<const DeviceFacts> devices,
             std::vector<std::string>& notes);
  // Ends it, and stores the samples in the session. Errors: of what could not be stored.
  Result<void> stop(Orchestrator& run, std::vector<std::string>& notes);

  bool sampled() const { return sampled_; }
  const std::vector<std::string>& gpus() const { return gpus_; }  // PCI addresses
  const std::vector<GpuSampleRow>& samples() const { return samples_; }

 private:
  std::vector<std::string> gpus_;
  std::vector<GpuSampleRow> samples_;
  bool sampled_ = false;
};

// From the first measured iteration of a process, for `wall_ns`; none where it has none.
std::optional<MeasuredWindow> measured_window(const std::vector<IterationRow>& iterations, int64_t process,
                                              int64_t wall_ns);

}  // namespace aaco
