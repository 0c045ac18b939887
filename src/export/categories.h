// SPDX-License-Identifier: MIT
// Categories under which every reader of PyTorch's traces, ours too, finds an event's kind again.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>

#include "record/events/event_table.h"

namespace aaco {

// Says what a category of the file means to the reader of a format.
using ReadCategory = std::optional<EventKind> (*)(std::string_view category);

class Categories {
 public:
  Categories(const EventTable& events, ReadCategory read) : events_(events), read_(read) {}

  // The file's own category where it is read as the event's kind; else PyTorch's for that kind, and `changed`.
  struct Category {
    std::string_view text;
    bool changed = false;
  };
  Category category(size_t event);

 private:
  Category find(size_t event) const;

  const EventTable& events_;
  ReadCategory read_;
  std::unordered_map<uint64_t, Category> known_;  // by category and kind, but of calls, where the name counts too
};

}  // namespace aaco
