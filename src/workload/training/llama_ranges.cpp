// SPDX-License-Identifier: MIT
#include "workload/training/llama_ranges.h"

namespace aaco {

CommandRanges llama_ranges(const std::vector<StepLabel>& labels) {
  CommandRanges ranges;
  for (const StepLabel& label : labels) {
    ranges.add(kStepPhases[static_cast<size_t>(label.phase)],
               label.layer < 0 ? "" : "layer " + std::to_string(label.layer));
  }
  return ranges;
}

}  // namespace aaco
