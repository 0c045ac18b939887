// SPDX-License-Identifier: MIT
// Records of a vendor's collector on their way into the sink.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "device/module_api.h"

namespace aaco::gpu {

// Not thread-safe.
class ActivityBatch {
 public:
  explicit ActivityBatch(const AacoSink& sink) : sink_(sink) {}

  // One without times counts as dropped.
  void add(const ActivityRecord& record);
  void drop(uint64_t count);
  // What was added goes to the sink.
  void hand_over();
  // The sink's number of a name, which is demangled.
  uint32_t intern(const char* mangled);

 private:
  AacoSink sink_;
  std::vector<ActivityRecord> records_;
  std::unordered_map<std::string, uint32_t> names_;
};

}  // namespace aaco::gpu
