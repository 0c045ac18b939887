// SPDX-License-Identifier: MIT
#include "trace/accelerator.h"

namespace aaco {

const Accelerator* find_accelerator(const std::vector<Accelerator>& all, std::string_view device) {
  const Accelerator* found = nullptr;
  size_t longest = 0;
  for (const Accelerator& one : all) {
    for (const std::string& pattern : one.patterns) {
      if (pattern.size() > longest && device.find(pattern) != std::string_view::npos) {
        longest = pattern.size();
        found = &one;
      }
    }
  }
  return found;
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
