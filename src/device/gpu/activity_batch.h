// SPDX-License-Identifier: MIT
// Records of a vendor's collector on their way into the sink.
#pragma once

#include <string>
#include <string_view>
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
  // As it stands. It is not kept: for names that are asked for once.
  uint32_t intern_plain(std::string_view name) { return sink_.intern(sink_.self, name.data(), name.size()); }

 private:
  AacoSink sink_;
  std::vector<ActivityRecord> records_;
  std::unordered_map<std::string, uint32_t> names_;
  // The same by where the vendor keeps them, which is mostly one place a name.
  std::unordered_map<const char*, std::unordered_map<std::string, uint32_t>::const_pointer> places_;
};

}  // namespace aaco::gpu
