// SPDX-License-Identifier: MIT
// The full parser behind the fast path: any event that is JSON, escapes and exponents included.
#pragma once

#include <simdjson.h>

#include "ingest/chrome/raw_event.h"
#include "ingest/chrome/scan.h"

namespace aaco::chrome {

class EventParser {
 public:
  // The object in [p, end), kPadding readable bytes behind it. False where it is no JSON object. The event's views hold
  // until the next call.
  bool parse(Place p, Place end, RawEvent& event);

 private:
  simdjson::ondemand::parser parser_;
};

}  // namespace aaco::chrome
