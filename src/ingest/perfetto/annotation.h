// SPDX-License-Identifier: MIT
// Debug annotations of a track event as arguments: plain values as they are, dictionaries and arrays as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingest/perfetto/sequence.h"
#include "record/events/event_table.h"

namespace aaco::perfetto {

class Annotations {
 public:
  Annotations(EventTable& table, std::string file) : table_(table), file_(std::move(file)) {}

  // A DebugAnnotation message.
  void read(std::string_view message, const Sequence& sequence, std::vector<Argument>& into);

  // A text that a sequence wrote once; its number, and a loss, where it did not.
  StringId interned(const Sequence& sequence, InternedField table, uint64_t id);
  StringId text_of(std::string_view text);  // with a loss where it is no UTF-8

 private:
  EventTable& table_;
  std::string file_;
};

}  // namespace aaco::perfetto
