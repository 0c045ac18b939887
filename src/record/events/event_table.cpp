// SPDX-License-Identifier: MIT
#include "record/events/event_table.h"

#include <algorithm>

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

void ArgumentStore::end_event(const Places& places, size_t used) {
  const size_t size = keys_.size() - places.most + used;
  keys_.shrink(size);
  types_.shrink(size);
  bits_.shrink(size);
  end_event();
}

void ArgumentStore::add_all(const ArgumentStore& other, std::span<const StringId> strings) {
  const size_t count = other.keys_.size();
  const uint64_t before = keys_.size();
  std::transform(other.keys_.begin(), other.keys_.end(), keys_.extend(count),
                 [&](StringId key) { return strings[key]; });
  std::copy_n(other.types_.begin(), count, types_.extend(count));
  uint64_t* const bits = bits_.extend(count);
  for (size_t i = 0; i < count; ++i) {
    const ArgumentType type = other.types_[i];
    const bool is_string = type == ArgumentType::kText || type == ArgumentType::kJson;
    bits[i] = is_string ? strings[other.bits_[i]] : other.bits_[i];
  }
  std::transform(other.ends_.begin(), other.ends_.end(), ends_.extend(other.ends_.size()),
                 [&](uint64_t end) { return before + end; });
}

void ArgumentStore::clear() {
  keys_.shrink(0);
  types_.shrink(0);
  bits_.shrink(0);
  ends_.shrink(0);
}

void EventTable::clear_events() {
  start_ns.shrink(0);
  duration_ns.shrink(0);
  correlation.shrink(0);
  external_id.shrink(0);
  name.shrink(0);
  category.shrink(0);
  track.shrink(0);
  kind.shrink(0);
  shape.shrink(0);
  arguments.clear();
}

void EventTable::add(const TraceEvent& event, std::span<const Argument> its_arguments) {
  add(event);
  arguments.add_event(its_arguments);
}

void EventTable::add(const TraceEvent& event) {
  start_ns.push_back(event.start_ns);
  duration_ns.push_back(event.duration_ns);
  correlation.push_back(event.correlation);
  external_id.push_back(event.external_id);
  name.push_back(event.name);
  category.push_back(event.category);
  track.push_back(event.track);
  kind.push_back(event.kind);
  shape.push_back(event.shape);
}

}  // namespace aaco
