// SPDX-License-Identifier: MIT
// The full parser behind the fast path: any event that is JSON, escapes and exponents included.
#pragma once

#include <simdjson.h>
#include <string>
#include <string_view>

#include "ingest/chrome/raw_event.h"
#include "ingest/chrome/scan.h"

namespace aaco::chrome {

class EventParser {
 public:
  // The object in [p, end), kPadding readable bytes behind it. False where it is no JSON object. The event's views hold
  // until the next call.
  bool parse(Place p, Place end, RawEvent& event);

 private:
  bool parse_utf8(std::string_view text, RawEvent& event);  // kPadding readable bytes behind it

  simdjson::ondemand::parser parser_;
  std::string mended_;
};

}  // namespace aaco::chrome
