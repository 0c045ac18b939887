// SPDX-License-Identifier: MIT
#include "analysis/timeline/lookup/event_arguments.h"

#include <charconv>
#include <system_error>

namespace aaco {

namespace {

std::optional<Argument> argument(const EventTable& events, size_t event, std::string_view key) {
  for (size_t i = events.arguments.end(event); i > events.arguments.begin(event); --i) {
    if (events.strings[events.arguments[i - 1].key] == key) {
      return events.arguments[i - 1];
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> integer_argument(const EventTable& events, size_t event, std::string_view key) {
  const auto row = argument(events, event, key);
  if (row && row->type == ArgumentType::kText) {
    const std::string_view text = events.text_of(*row);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
  }
  return row && row->type == ArgumentType::kInteger ? std::optional(static_cast<int64_t>(row->bits)) : std::nullopt;
}

std::optional<StringId> text_argument(const EventTable& events, size_t event, std::string_view key) {
  const auto row = argument(events, event, key);
  return row && (row->type == ArgumentType::kText || row->type == ArgumentType::kJson)
             ? std::optional(static_cast<StringId>(row->bits))
             : std::nullopt;
}

}  // namespace aaco
