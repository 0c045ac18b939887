// SPDX-License-Identifier: MIT
#include "ingest/perfetto/packet.h"

#include "ingest/perfetto/wire.h"

namespace aaco::perfetto {

namespace {

// What the service says of itself and of the recording: its configuration, statistics, marks, trusted ids.
bool is_of_the_recording(uint64_t number) {
  switch (number) {
    case 3:
    case 33:
    case 35:
    case 36:
    case 45:
    case 69:
    case 72:
    case 79:
    case 87:
    case 89:
    case 98:
    case 124:
    case 126:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool Packet::parse(std::string_view message) {
  WireReader fields(message);
  for (WireField field; fields.next(field);) {
    const bool bytes = field.type == WireType::kBytes;
    const auto place = [&]() -> std::optional<std::string_view>* {
      switch (field.number) {
        case 6:
          return &clock_snapshot;
        case 11:
          return &track_event;
        case 12:
          return &interned;
        case 50:
          return &compressed;
        case 59:
          return &defaults;
        case 60:
          return &track_descriptor;
        default:
          return nullptr;
      }
    }();
    if (place != nullptr) {
      if (!bytes) {
        return false;
      }
      *place = field.bytes;
      continue;
    }
    switch (field.number) {
      case 8:
        timestamp = field.value;
        break;
      case 10:
        sequence = field.value;
        break;
      case 13:
        cleared = cleared || (field.value & 1) != 0;
        needs_state = (field.value & 2) != 0;
        break;
      case 41:
        cleared = cleared || field.value != 0;
        break;
      case 42:
        after_loss = field.value != 0;
        break;
      case 58:
        clock = field.value;
        break;
      default:
        unread = unread != 0 || is_of_the_recording(field.number) ? unread : field.number;
        continue;
    }
    if (bytes) {
      return false;
    }
  }
  return !fields.malformed();
}

}  // namespace aaco::perfetto
