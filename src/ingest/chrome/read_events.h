// SPDX-License-Identifier: MIT
// A file of Chrome's trace format as a series of events, whichever way its root is written: an object with a
// "traceEvents" array among other members, or that array itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/chrome/raw_event.h"
#include "record/events/loss_table.h"

namespace aaco::chrome {

class EventSink {
 public:
  virtual ~EventSink() = default;
  // False where it cannot take the event because an array or object in it is no JSON. The views hold during the call.
  virtual bool take(const RawEvent& event) = 0;
  // Another member of the root. `json` is what stands in the file.
  virtual void take_metadata(std::string_view key, std::string_view json) = 0;
};

struct ReadResult {
  bool whole = true;  // else the file ends early: `losses` says where
};

// What is no event is a loss, with its byte offset, and reading goes on behind it. Errors: kUsage where the source is
// no such file at all, with the offset and the reason.
// `window_bytes`: how much of the source is in memory at first; it grows where one event is longer.
Result<ReadResult> read_events(ByteSource& source, const std::string& name, EventSink& sink, LossTable& losses,
                               size_t window_bytes = size_t{1} << 20);

}  // namespace aaco::chrome
