// SPDX-License-Identifier: MIT
#include "export/perfetto/counters.h"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace aaco::perfetto {

uint64_t Counters::track_of(size_t event, StringId key_id, std::string_view unit) {
  const uint32_t row = layout_.row_of_event[event];
  const auto [entry, added] = known_.try_emplace({row, events_.name[event], key_id});
  if (added) {
    const std::string_view key = events_.strings[key_id];
    const std::string name(events_.strings[events_.name[event]]);
    const ShownLine& line = layout_.lines[layout_.rows[row].line];
    const bool of_thread = events_.tracks[line.track].thread != kEmptyString;
    entry->second = tracks_.add_counter(of_thread ? tracks_.row(row) : tracks_.process(line.process),
                                        key == "value" ? name : fmt::format("{} {}", name, key), unit);
  }
  return entry->second;
}

void Counters::write(size_t event) {
  std::string_view unit;
  std::vector<Argument> numbers;
  std::vector<Argument> others;
  for (size_t i = events_.arguments.begin(event); i < events_.arguments.end(event); ++i) {
    const Argument argument = events_.arguments[i];
    if (argument.type == ArgumentType::kInteger || argument.type == ArgumentType::kReal) {
      numbers.push_back(argument);
    } else if (argument.type == ArgumentType::kText && events_.strings[argument.key] == "unit") {
      unit = events_.text_of(argument);
    } else {
      others.push_back(argument);
    }
  }
  for (const Argument& number : numbers) {
    const uint64_t track = track_of(event, number.key, unit);
    packets_.begin_event(EventType::kCounter, track);
    packets_.value(number);
    for (const Argument& other : others) {
      packets_.annotation("", other);
    }
    others.clear();
    packets_.end_event(events_.start_ns[event] + layout_.shift_ns);
  }
}

}  // namespace aaco::perfetto
