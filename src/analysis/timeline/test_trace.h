// SPDX-License-Identifier: MIT
// Small traces for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/events/event_table.h"

namespace aaco {

class TestTrace {
 public:
  uint32_t thread(int64_t rank = kNoId) { return stream(rank, kNoId, kNoId); }
  uint32_t stream(int64_t rank, int64_t device, int64_t stream) {
    table.tracks.push_back({kEmptyString, kEmptyString, kEmptyString, kEmptyString, rank, device, stream, 0});
    return static_cast<uint32_t>(table.tracks.size() - 1);
  }
  void add(uint32_t track, EventKind kind, std::string_view name, int64_t start_ns, int64_t duration_ns,
           int64_t correlation = kNoId, const std::vector<Argument>& arguments = {}, int64_t external_id = kNoId) {
    table.add({start_ns, duration_ns, correlation, external_id, table.strings.intern(name), kEmptyString, track, kind,
               EventShape::kSlice},
              arguments);
  }
  Argument integer(std::string_view key, int64_t value) {
    return {table.strings.intern(key), ArgumentType::kInteger, static_cast<uint64_t>(value)};
  }
  Argument text(std::string_view key, std::string_view value) {
    return {table.strings.intern(key), ArgumentType::kText, table.strings.intern(value)};
  }

  EventTable table;
};

}  // namespace aaco
