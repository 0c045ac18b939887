// SPDX-License-Identifier: MIT
// The members of an event that the format gives a meaning.
#pragma once

#include <string_view>

#include "ingest/chrome/raw_event.h"

namespace aaco::chrome {

inline RawValue* member_of(RawEvent& event, std::string_view key) {
  switch (key.size()) {
    case 2:
      return key == "ph" ? &event.phase : key == "ts" ? &event.time : key == "id" ? &event.id : nullptr;
    case 3:
      return key == "cat"   ? &event.category
             : key == "pid" ? &event.process
             : key == "tid" ? &event.thread
             : key == "dur" ? &event.duration
                            : nullptr;
    case 4:
      return key == "name" ? &event.name : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace aaco::chrome
