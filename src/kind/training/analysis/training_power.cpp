// SPDX-License-Identifier: MIT
#include "kind/training/analysis/training_power.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "analysis/bundle_json.h"
#include "base/json/json.h"
#include "kind/training/analysis/training_process.h"

namespace aaco {

AACO_JSON_FIELDS(TrainingPower, mean_w, samples, source, unavailable)
AACO_JSON_FIELDS(TrainingEnergy, power_w, joules_per_step, joules_per_token, source, unavailable)

namespace {

constexpr int64_t kBoardMeanNs = 1'000'000'000;               // over which a board's own figure is a mean, at most
constexpr int64_t kRenewalNs = 100'000'000;                   // of that figure: NVML's on an H100
constexpr int64_t kLeastNs = kBoardMeanNs + 10 * kRenewalNs;  // of steps

const char* source_of(const std::string& vendor) {
  return vendor == gpu_vendor::kAmd ? "board, amdgpu's hwmon" : "board, NVML";
}

std::string too_short(int64_t window_ns) {
  const double seconds = static_cast<double>(window_ns) / 1e9;
  const double times = static_cast<double>(kLeastNs) / static_cast<double>(std::max<int64_t>(window_ns, 1));
  return fmt::format(
      "the measured steps of a process took {:.2g} s, and a board's power is a mean over up to a second: {} s are "
      "needed, which is --num-steps {:.3g} times as large",
      seconds, kLeastNs / 1'000'000'000, times);
}

bool is_measured(const TrainingProcess& process) {
  return process.steps > 0 && process.wall_ns > 0 && process.power && process.power->mean_w;
}

double seconds_per_step(const TrainingProcess& process) {
  return static_cast<double>(process.wall_ns) / 1e9 / static_cast<double>(process.steps);
}

}  // namespace

TrainingPower power_of_samples(const std::string& device, std::span<const GpuSampleRow> samples, int64_t start_ns,
                               int64_t end_ns) {
  TrainingPower power;
  std::vector<double> watts;
  bool sampled = false;
  bool within = false;
  for (const GpuSampleRow& row : samples) {
    if (row.device != device) {
      continue;
    }
    sampled = true;
    power.source = source_of(row.vendor);
    if (row.t_ns < start_ns + kBoardMeanNs || row.t_ns > end_ns || end_ns - start_ns < kLeastNs) {
      continue;
    }
    within = true;
    if (row.power_w) {
      watts.push_back(*row.power_w);
    }
  }
  if (!watts.empty()) {
    power.samples = static_cast<int64_t>(watts.size());
    power.mean_w = std::accumulate(watts.begin(), watts.end(), 0.0) / static_cast<double>(watts.size());
  } else {
    power.unavailable = !sampled ? "no sample was taken"
                        : within ? "the device does not tell its power"
                                 : too_short(end_ns - start_ns);
  }
  return power;
}

TrainingEnergy training_energy(const std::vector<TrainingProcess>& processes, int64_t tokens) {
  TrainingEnergy energy;
  energy.unavailable = processes.empty() ? "no step was measured" : "power was not sampled";
  std::vector<double> watts;
  std::vector<double> of_steps;
  std::vector<double> of_tokens;
  for (const TrainingProcess& process : processes) {
    if (process.power && !process.power->unavailable.empty()) {
      energy.unavailable = process.power->unavailable;
    }
    if (!is_measured(process)) {
      continue;
    }
    energy.source = process.power->source;
    watts.push_back(*process.power->mean_w);
    of_steps.push_back(watts.back() * seconds_per_step(process));
    if (tokens > 0) {
      of_tokens.push_back(of_steps.back() / static_cast<double>(tokens));
    }
  }
  energy.power_w = estimate_over_processes(watts);
  energy.joules_per_step = estimate_over_processes(of_steps);
  energy.joules_per_token = estimate_over_processes(of_tokens);
  if (!watts.empty()) {
    energy.unavailable.clear();
  }
  return energy;
}

}  // namespace aaco
