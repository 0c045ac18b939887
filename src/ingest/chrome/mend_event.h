// SPDX-License-Identifier: MIT
// Events that are no JSON and yet can be told: numbers that JSON has not (inf, nan), a comma too many or too few, a
// backslash that escapes nothing, also at the end of a text, quotes within a text, a bracket that is missing at the
// end. Each value that is none is named and left out; the rest is the event.
#pragma once

#include <cstdint>
#include <deque>
#include <simdjson.h>
#include <string>

#include "ingest/chrome/raw_event.h"
#include "ingest/chrome/scan.h"

namespace aaco::chrome {

enum class MendState : uint8_t { kMended, kNeedsMore, kNoEvent };

// What a text is, which tells what may follow it.
enum class TextPlace : uint8_t { kKey, kValue, kEither };

class EventMender {
 public:
  // Beyond this much of the text a damaged event is none.
  static constexpr size_t kLongest = size_t{1} << 24;

  // The object at `p`, kPadding readable bytes behind `end`. `at_end`: nothing follows `end`. Where mended, `behind` is
  // the place behind it, and the event's views hold until the next call. kNeedsMore: what is there may be the start of
  // an event.
  MendState mend(Place p, Place end, bool at_end, RawEvent& event, Place& behind);
  bool damaged() const { return damaged_; }  // the last one; else it may be JSON
  Place reach() const { return at_ == nullptr || failure_ == MendState::kNeedsMore ? end_ : at_; }  // what it looked at

 private:
  bool read_object(bool is_arguments);
  bool read_key(std::string_view& key);
  bool read_value(std::string_view key, bool is_arguments);
  void put(std::string_view key, bool is_arguments, const RawValue& value);
  void lose(std::string_view key, bool is_arguments, std::string_view text);
  bool read_text(TextPlace place, std::string_view& text);
  bool skip_container();
  std::string_view take_junk();
  std::string_view unescaped(std::string_view text, bool as_written);
  bool at_space_end();  // passes space; whether the text ends there
  bool cut();

  Place at_ = nullptr;
  Place end_ = nullptr;
  bool at_end_ = false;  // of the source
  bool damaged_ = false;
  bool event_closed_ = false;
  MendState failure_ = MendState::kNoEvent;
  RawEvent* event_ = nullptr;
  std::deque<std::string> texts_;  // unescaped, of the event at hand
  simdjson::dom::parser parser_;
};

// Behind the closing quote of the text at `p`, which a lone backslash may precede, by what follows it: ':' behind a
// key, else a comma or a closing bracket. Null where `end` comes before; `at_end`: nothing follows that. `as_written`:
// set where the text is no JSON.
Place end_of_text(Place p, Place end, TextPlace place, bool at_end, bool& as_written);

// The first place behind `p` at which an event begins ({ with "ph" soon behind it, after a comma); null where none is.
Place find_event(Place p, Place end);

}  // namespace aaco::chrome
