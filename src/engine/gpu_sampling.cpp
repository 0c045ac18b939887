// SPDX-License-Identifier: MIT
#include "engine/gpu_sampling.h"

#include <algorithm>

namespace aaco {

void GpuSampling::start(Orchestrator& run, const std::string& backend, std::span<const DeviceFacts> devices,
                        std::vector<std::string>& notes) {
  const auto collector = gpu_collector_of(backend);
  if (!collector) {
    return;
  }
  for (const DeviceFacts& facts : devices) {
    if (!facts.pci) {
      const std::string why = "GPU telemetry: the driver does not say where the device is plugged in";
      run.session().info().planes["telemetry_gpu"] = {PlaneStatus::kUnavailable, why};
      notes.push_back(why);
      return;
    }
    gpus_.push_back(*facts.pci);
  }
  const Result<void> started = run.start_gpu_telemetry(*collector, gpus_);
  if (!started) {
    notes.push_back(started.error().message);
  }
  sampled_ = started.has_value();
}

Result<void> GpuSampling::stop(Orchestrator& run, std::vector<std::string>& notes) {
  if (!sampled_) {
    return {};
  }
  AACO_TRY(run.stop_gpu_telemetry());
  CollectedRows rows;
  AACO_TRY(read_collected_journals(run.session().path(), rows, notes));
  AACO_TRY(write_collected_tables(run.session(), rows));
  samples_ = rows.rows<GpuSampleRow>();
  return {};
}

std::optional<MeasuredWindow> measured_window(const std::vector<IterationRow>& iterations, int64_t process,
                                              int64_t wall_ns) {
  const auto first = std::find_if(iterations.begin(), iterations.end(), [&](const IterationRow& row) {
    return row.process == process && row.phase != IterationPhase::kWarmup;
  });
  return first == iterations.end() ? std::nullopt
                                   : std::optional(MeasuredWindow{first->t_start_ns, first->t_start_ns + wall_ns});
}

}  // namespace aaco
