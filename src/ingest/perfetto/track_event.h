// SPDX-License-Identifier: MIT
// A TrackEvent message as it lies in its packet: nothing is looked up yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ingest/perfetto/wire.h"

namespace aaco::perfetto {

// As the format numbers them; read and written.
enum class EventType : uint8_t { kUnspecified, kBegin, kEnd, kInstant, kCounter };

struct TrackEvent {
  uint64_t type = 0;
  std::optional<uint64_t> track;
  std::optional<uint64_t> name_id;
  std::string_view name;
  std::vector<uint64_t> category_ids;
  std::vector<std::string_view> categories;
  std::vector<std::string_view> annotations;
  std::vector<uint64_t> flows;
  std::vector<uint64_t> ending_flows;
  std::optional<uint64_t> correlation;
  std::optional<WireField> value;  // of a counter: an integer, or a real number as kFixed64
  std::vector<uint64_t> counters;  // tracks of `counter_values`, where the sequence's are not meant
  std::vector<uint64_t> counter_values;
  std::vector<uint64_t> real_counters;
  std::vector<uint64_t> real_counter_values;
  std::vector<uint64_t> unread;  // numbers of fields that have no place above

  void parse(std::string_view message);
  bool malformed = false;

 private:
  void take(const WireField& field);
};

}  // namespace aaco::perfetto
