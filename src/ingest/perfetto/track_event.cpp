// SPDX-License-Identifier: MIT
#include "ingest/perfetto/track_event.h"

namespace aaco::perfetto {

namespace {

void append(std::vector<uint64_t>& numbers, const WireField& field, WireType type) {
  each_number(field, type, [&](const WireField& wire_field) { numbers.push_back(wire_field.value); });
}

}  // namespace

void TrackEvent::take(const WireField& field) {
  switch (field.number) {
    case 3:
      return append(category_ids, field, WireType::kVarint);
    case 4:
      return annotations.push_back(field.bytes);
    case 9:
      type = field.value;
      return;
    case 10:
      name_id = field.value;
      return;
    case 11:
      track = field.value;
      return;
    case 12:
      return append(counter_values, field, WireType::kVarint);
    case 22:
      return categories.push_back(field.bytes);
    case 23:
      name = field.bytes;
      return;
    case 30:
    case 44:
      value = field;
      return;
    case 31:
      return append(counters, field, WireType::kVarint);
    case 36:  // as older writers number them
      return append(flows, field, WireType::kVarint);
    case 42:
      return append(ending_flows, field, WireType::kVarint);
    case 45:
      return append(real_counters, field, WireType::kVarint);
    case 46:
      return append(real_counter_values, field, WireType::kFixed64);
    case 47:
      return append(flows, field, WireType::kFixed64);
    case 48:
      return append(ending_flows, field, WireType::kFixed64);
    case 52:
      correlation = field.value;
      return;
    default:
      unread.push_back(field.number);
  }
}

void TrackEvent::parse(std::string_view message) {
  WireReader fields(message);
  for (WireField field; fields.next(field);) {
    take(field);
  }
  malformed = fields.malformed();
}

}  // namespace aaco::perfetto
