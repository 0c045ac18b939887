// SPDX-License-Identifier: MIT
// Power of the processor while a process's steps are measured on it.
#pragma once

#include "kind/training/analysis/training_power.h"
#include "observe/telemetry/package_energy.h"

namespace aaco {

class ProcessorPower {
 public:
  explicit ProcessorPower(HostFiles host = {}) : host_(std::move(host)) {}

  // Immediately before the first measured step.
  void start() { energy_ = PackageEnergy::start(host_); }
  // Immediately behind the last.
  TrainingPower stop(double seconds) const {
    TrainingPower power;
    power.source = "processor packages, RAPL";
    const Result<double> joules = energy_ ? energy_->joules(seconds) : Result<double>(energy_.error());
    if (joules && seconds > 0 && *joules > 0) {
      power.mean_w = *joules / seconds;
    } else {
      power.unavailable = joules ? "the steps were shorter than an energy counter can tell" : joules.error().message;
    }
    return power;
  }

 private:
  HostFiles host_;
  Result<PackageEnergy> energy_ = Error{ErrorKind::kUnavailable, "energy was not counted", ""};
};

}  // namespace aaco
