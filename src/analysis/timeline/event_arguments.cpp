// SPDX-License-Identifier: MIT
#include "analysis/timeline/event_arguments.h"

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
  const auto found = argument(events, event, key);
  if (found && found->type == ArgumentType::kText) {
    const std::string_view text = events.text_of(*found);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
  }
  return found && found->type == ArgumentType::kInteger ? std::optional(static_cast<int64_t>(found->bits))
                                                        : std::nullopt;
}

std::optional<StringId> text_argument(const EventTable& events, size_t event, std::string_view key) {
  const auto found = argument(events, event, key);
  return found && (found->type == ArgumentType::kText || found->type == ArgumentType::kJson)
             ? std::optional(static_cast<StringId>(found->bits))
             : std::nullopt;
}

}  // namespace aaco
