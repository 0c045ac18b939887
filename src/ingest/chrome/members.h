// SPDX-License-Identifier: MIT
// The members of an event that the format gives a meaning.
#pragma once

#include <string_view>

#include "ingest/chrome/raw_event.h"

namespace aaco::chrome {

inline RawValue RawEvent::* member_of(std::string_view key) {
  switch (key.size()) {
    case 2:
      return key == "ph" ? &RawEvent::phase : key == "ts" ? &RawEvent::time : key == "id" ? &RawEvent::id : nullptr;
    case 3:
      return key == "cat"   ? &RawEvent::category
             : key == "pid" ? &RawEvent::process
             : key == "tid" ? &RawEvent::thread
             : key == "dur" ? &RawEvent::duration
                            : nullptr;
    case 4:
      return key == "name" ? &RawEvent::name : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace aaco::chrome
