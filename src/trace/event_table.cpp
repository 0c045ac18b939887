// SPDX-License-Identifier: MIT
#include "trace/event_table.h"

namespace aaco {

const char* event_kind_name(EventKind kind) {
  static constexpr const char* kNames[kEventKinds] = {"host op", "host call",  "host range",   "overhead",    "kernel",
                                                      "copy",    "memory set", "device range", "device sync", "other"};
  return kNames[static_cast<size_t>(kind)];
}

std::optional<Argument> ArgumentStore::find(size_t event, StringId key) const {
  for (size_t i = end(event); i > begin(event); --i) {
    if (keys_[i - 1] == key) {
      return (*this)[i - 1];
    }
  }
  return std::nullopt;
}

}  // namespace aaco
