// SPDX-License-Identifier: MIT
#include "record/accelerator.h"

namespace aaco {

const Accelerator* find_accelerator(const std::vector<Accelerator>& all, std::string_view device) {
  const Accelerator* accelerator = nullptr;
  size_t longest = 0;
  for (const Accelerator& candidate : all) {
    for (const std::string& pattern : candidate.patterns) {
      if (pattern.size() > longest && device.find(pattern) != std::string_view::npos) {
        longest = pattern.size();
        accelerator = &candidate;
      }
    }
  }
  return accelerator;
}

Accelerator accelerator_of(const Roofs& roofs) {
  Accelerator accelerator;
  accelerator.name = roofs.device;
  accelerator.matrix = roofs.flops_per_s;
  accelerator.vector = roofs.flops_per_s;
  accelerator.achievable = roofs.flops_per_s;
  accelerator.bytes_per_s = roofs.bytes_per_s;
  accelerator.source = "measured " + roofs.measured_at;
  accelerator.achievable_source = accelerator.source;
  return accelerator;
}

}  // namespace aaco
