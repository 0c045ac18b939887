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

void ArgumentStore::add_event(std::span<const Argument> its_arguments) {
  StringId* key = keys_.extend(its_arguments.size());
  ArgumentType* type = types_.extend(its_arguments.size());
  uint64_t* bits = bits_.extend(its_arguments.size());
  for (const Argument& argument : its_arguments) {
    *key++ = argument.key;
    *type++ = argument.type;
    *bits++ = argument.bits;
  }
  end_event();
}

void EventTable::add(const TraceEvent& event, std::span<const Argument> its_arguments) {
  start_ns.push_back(event.start_ns);
  duration_ns.push_back(event.duration_ns);
  correlation.push_back(event.correlation);
  external_id.push_back(event.external_id);
  name.push_back(event.name);
  category.push_back(event.category);
  track.push_back(event.track);
  kind.push_back(event.kind);
  shape.push_back(event.shape);
  arguments.add_event(its_arguments);
}

}  // namespace aaco
