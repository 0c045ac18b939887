// SPDX-License-Identifier: MIT
// Arguments of an event in Chrome's format, and its members that have no meaning there.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "export/categories.h"
#include "export/id_arguments.h"
#include "export/json_writer.h"
#include "record/events/event_table.h"

namespace aaco::chrome {

class ArgumentWriter {
 public:
  // `file_rank`: of the whole file, where it says so elsewhere; kNoId.
  ArgumentWriter(const EventTable& events, JsonWriter& json, int64_t file_rank)
      : events_(events), json_(json), ids_(events, file_rank), places_(events.strings.size()) {}

  // Members of an event "args", and others that readers keep as "event.NAME". `end`: the second mark of a slice that
  // was written as two.
  void write(size_t event, const Categories::Category& category, std::optional<uint64_t> end);

  // A text among the arguments by which readers keep a member of the event.
  std::string_view member(size_t event, std::string_view name) const;

  // Of a mark: the file's, where viewers know it.
  std::string_view phase(size_t event) const;

 private:
  enum class Place : uint8_t { kUnseen, kMember, kArgument };

  bool named_as_member(StringId key);
  bool is_member(size_t event, StringId key) const;
  void argument(size_t event, const Argument& argument);
  void end_argument(size_t event, const Argument& argument);
  void members(size_t event);
  void key(std::string_view prefix, StringId key, std::string_view suffix);
  void key(std::string_view name);

  const EventTable& events_;
  JsonWriter& json_;
  IdArguments ids_;
  std::vector<Place> places_;  // by key
  bool first_ = true;
  bool has_members_ = false;
};

}  // namespace aaco::chrome
