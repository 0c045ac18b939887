// SPDX-License-Identifier: MIT
#include "trace/event_table.h"

namespace aaco {

std::optional<Argument> ArgumentStore::find(size_t event, StringId key) const {
  for (size_t i = end(event); i > begin(event); --i) {
    if (keys_[i - 1] == key) {
      return (*this)[i - 1];
    }
  }
  return std::nullopt;
}

}  // namespace aaco
