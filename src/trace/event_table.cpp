// SPDX-License-Identifier: MIT
#include "trace/event_table.h"

namespace aaco {

const char* event_kind_name(EventKind kind) {
  static constexpr const char* kNames[kEventKinds] = {"host op", "host call",  "host range",   "overhead",    "kernel",
                                                      "copy",    "memory set", "device range", "device sync", "other"};
  return kNames[static_cast<size_t>(kind)];
}

std::optional<Argument> ArgumentStore::find(size_t event, StringId key) const {
  for (size_t i = begin(event); i < end(event); ++i) {
    if (keys_[i] == key) {
      return (*this)[i];
    }
  }
  return std::nullopt;
}

}  // namespace aaco
