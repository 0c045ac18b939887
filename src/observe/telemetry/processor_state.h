// SPDX-License-Identifier: MIT
// What lowers the clocks of processors, and what they use: limits of the governor, heat, and energy (RAPL).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "observe/telemetry/package_energy.h"
#include "observe/telemetry/plane.h"
#include "observe/telemetry/proc_file.h"
#include "record/rows.h"

namespace aaco {

class ProcessorState {
 public:
  ProcessorState(const std::filesystem::path& root, const std::vector<int>& processors);

  // Fills the row's columns; `row` has its interval.
  void sample(SystemRow& row, ReadBuffer& buffer);
  void tell_unread(PlaneAccount<SystemRow>& account) const;

 private:
  std::vector<ProcFile> frequency_limits_, throttle_counts_, package_temperatures_;
  std::optional<int64_t> throttles_;  // at the previous sample
  std::optional<PackageEnergy> energy_;
  std::string no_energy_;
  double joules_ = 0;
};

}  // namespace aaco
