// SPDX-License-Identifier: MIT
// Power and energy of a training's measured steps.
//
//   a GPU         mean of the board's power over samples within the steps, times the time of a step. Boards give a mean
//                 over up to a second, so that only samples a second and more behind the first measured step are of
//                 the steps alone. They renew it every 100 ms or so, and ten of these are wanted: where a process
//                 measures for less than two seconds there is no figure.
//   a processor   difference of its packages' energy counters (RAPL) over the steps; memory and board are not in it.
//
// What it does not tell: the energy of anything shorter than the samples' period, and of the rest of the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/model_run/results.h"
#include "base/json/json_fwd.h"
#include "record/gpu_sample.h"

namespace aaco {

// Of one process, while its steps were measured.
struct TrainingPower {
  std::optional<double> mean_w;
  int64_t samples = 0;      // of which it is the mean; 0: from energy counters
  std::string source;       // "board, NVML"
  std::string unavailable;  // why there is no mean
};

// `start_ns`, `end_ns`: from the first measured step to the end of the last, session time. Pure.
TrainingPower power_of_samples(const std::string& device, std::span<const GpuSampleRow> samples, int64_t start_ns,
                               int64_t end_ns);

// Medians over processes; none of them is there without a measurement.
struct TrainingEnergy {
  std::optional<Estimate> power_w;
  std::optional<Estimate> joules_per_step;
  std::optional<Estimate> joules_per_token;
  std::string source;
  std::string unavailable;  // why there are no figures
};

struct TrainingProcess;
TrainingEnergy training_energy(const std::vector<TrainingProcess>& processes, int64_t tokens);

void to_json(Json& json, const TrainingPower& power);
void from_json(const Json& json, TrainingPower& power);
void to_json(Json& json, const TrainingEnergy& energy);
void from_json(const Json& json, TrainingEnergy& energy);

}  // namespace aaco
