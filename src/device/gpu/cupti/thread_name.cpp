// SPDX-License-Identifier: MIT
#include "device/gpu/cupti/thread_name.h"

#include <fstream>

#include "device/gpu/cupti/cupti_buffers.h"

namespace aaco::gpu {

std::optional<ThreadName> name_of_thread(uint64_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/comm");
  ThreadName name;
  if (!std::getline(file, name.text) || name.text.empty()) {
    return std::nullopt;
  }
  name.text += " (" + std::to_string(thread) + ')';
  name.record.start_ns = static_cast<int64_t>(monotonic_ns());
  name.record.end_ns = name.record.start_ns;
  name.record.stream = thread;
  name.record.kind = ActivityKind::kThreadName;
  return name;
}

}  // namespace aaco::gpu
