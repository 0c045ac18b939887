// SPDX-License-Identifier: MIT
// For tests of readers: a text as a file, and what became of it.
#pragma once

#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/trace_format.h"

namespace aaco {

using TraceFileReader = Result<void> (*)(const TraceInput& input, EventTable& into);

inline void read_more(TraceFileReader reader, std::string_view text, EventTable& into, uint32_t recording = 0) {
  const auto bytes = bytes_of(text);
  const auto done = reader({"file.csv", "file.csv", *bytes, recording}, into);
  EXPECT_TRUE(done) << done.error().message;
}

inline EventTable read_text(TraceFileReader reader, std::string_view text) {
  EventTable table;
  read_more(reader, text, table);
  return table;
}

inline std::string name_at(const EventTable& table, size_t event) {
  return std::string(table.strings[table.name[event]]);
}

inline const Track& track_at(const EventTable& table, size_t event) { return table.tracks[table.track[event]]; }

// An argument as text; "none" where there is none, a text in quotes.
inline std::string argument_at(const EventTable& table, size_t event, std::string_view key) {
  std::optional<Argument> argument;
  for (size_t i = table.arguments.begin(event); i < table.arguments.end(event); ++i) {
    if (table.strings[table.arguments[i].key] == key) {
      argument = table.arguments[i];
    }
  }
  if (!argument) {
    return "none";
  }
  switch (argument->type) {
    case ArgumentType::kInteger:
      return std::to_string(static_cast<int64_t>(argument->bits));
    case ArgumentType::kReal:
      return fmt::format("{}", std::bit_cast<double>(argument->bits));
    case ArgumentType::kText:
      return fmt::format("\"{}\"", table.text_of(*argument));
    default:
      return "of another type";
  }
}

inline size_t arguments_of(const EventTable& table, size_t event) {
  return table.arguments.end(event) - table.arguments.begin(event);
}

}  // namespace aaco
