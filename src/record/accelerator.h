// SPDX-License-Identifier: MIT
// What an accelerator can do at best: figures of data sheets and of measurements elsewhere (configs/accelerators.yaml),
// or of this machine (Roofs).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/recording.h"

namespace aaco {

struct Accelerator {
  std::string name;
  std::vector<std::string> patterns;  // parts of a device's name
  // FLOP/s by precision ("bf16"): the peaks, and what a product of matrices was measured to reach.
  std::map<std::string, double> matrix;
  std::map<std::string, double> vector;
  std::map<std::string, double> achievable;
  std::optional<double> bytes_per_s;
  std::optional<double> cache_bytes;  // of the last level before memory
  std::string source;
  std::string achievable_source;
};

// The one with the longest pattern in `device`; null where none has one.
const Accelerator* find_accelerator(const std::vector<Accelerator>& all, std::string_view device);

// Measured roofs in that form: they hold whatever the unit, and are what was reached.
Accelerator accelerator_of(const Roofs& roofs);

}  // namespace aaco
