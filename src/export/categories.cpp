// SPDX-License-Identifier: MIT
#include "export/categories.h"

#include <algorithm>

namespace aaco {

namespace {

// By the call's name, which begins with its runtime's: "__hipRegisterFunction" too.
std::string_view call_category(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  if (name.starts_with("hip") || name.starts_with("hsa")) {
    return "hip_runtime";
  }
  if (name.starts_with("cuda")) {
    return "cuda_runtime";
  }
  const bool driver = name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
  return driver ? "cuda_driver" : "host_call";
}

std::string_view category_of(EventKind kind, std::string_view name) {
  switch (kind) {
    case EventKind::kHostOp:
      return "cpu_op";
    case EventKind::kHostCall:
      return call_category(name);
    case EventKind::kHostRange:
      return "user_annotation";
    case EventKind::kOverhead:
      return "overhead";
    case EventKind::kKernel:
      return "kernel";
    case EventKind::kCopy:
      return "gpu_memcpy";
    case EventKind::kSet:
      return "gpu_memset";
    case EventKind::kDeviceRange:
      return "gpu_user_annotation";
    case EventKind::kDeviceSync:
      return "cuda_sync";
    case EventKind::kOther:
      break;
  }
  return "Trace";
}

}  // namespace

Categories::Category Categories::find(size_t event) const {
  const std::string_view own = events_.strings[events_.category[event]];
  const EventKind kind = events_.kind[event];
  if (read_(own).value_or(EventKind::kOther) == kind) {
    return {own, false};
  }
  return {category_of(kind, events_.strings[events_.name[event]]), true};
}

Categories::Category Categories::category(size_t event) {
  const EventKind kind = events_.kind[event];
  const uint64_t key = uint64_t{events_.category[event]} << 8 | static_cast<uint64_t>(kind);
  const auto [known, added] = known_.try_emplace(key);
  if (added || (known->second.changed && kind == EventKind::kHostCall)) {
    known->second = find(event);
  }
  return known->second;
}

}  // namespace aaco
