// SPDX-License-Identifier: MIT
#include "ingest/chrome/read_events.h"

#include <cstddef>
#include <fmt/format.h>
#include <utility>

#include "ingest/chrome/event_scanner.h"
#include "ingest/chrome/json_cursor.h"
#include "ingest/chrome/parse_event.h"
#include "ingest/chrome/scan.h"

namespace aaco::chrome {

namespace {

class Reader {
 public:
  Reader(ByteSource& source, std::string name, EventSink& sink, LossTable& losses, size_t window_bytes)
      : cursor_(source, window_bytes), name_(std::move(name)), sink_(sink), losses_(losses) {}

  Result<ReadResult> read() {
    cursor_.skip_byte_order_mark();
    const int first = cursor_.next_byte();
    bool events = false;
    if (first == '[') {
      events = true;
      read_array();
    } else if (first == '{') {
      AACO_ASSIGN(events, read_root());
    } else {
      return refused(first == kEnd ? "is empty" : "does not begin with { or [");
    }
    if (!events) {
      return refused("has no \"traceEvents\"");
    }
    read_to_the_end();
    return result_;
  }

 private:
  static constexpr int kEnd = JsonCursor::kEnd;

  Error refused(const std::string& why) const {
    if (cursor_.error()) {
      return *cursor_.error();
    }
    return {ErrorKind::kUsage, fmt::format("{}: {} (byte {})", name_, why, cursor_.offset()),
            "name a trace in Chrome's JSON format, as PyTorch's profiler writes it"};
  }

  void truncated(const char* why) {
    result_.whole = false;
    cursor_.stop();
    losses_.add(Loss::kTruncated, [&] { return cursor_.why_it_ended(name_, why); });
  }

  // Nothing may follow the root; and the check sum of a compressed file stands at its end.
  void read_to_the_end() {
    if (cursor_.next_byte() != kEnd) {
      losses_.add(Loss::kTrailingData, [&] { return fmt::format("{}: byte {}", name_, cursor_.offset()); });
    }
    cursor_.read_out();
    if (result_.whole && cursor_.error()) {
      truncated("");
    }
  }

  // At '['.
  void read_array() {
    cursor_.skip_byte();
    RawEvent event;
    while (true) {
      switch (cursor_.next_byte()) {
        case ']':
          cursor_.skip_byte();
          return;
        case kEnd:
          return truncated("the array of events is not closed");
        case ',':
          cursor_.skip_byte();
          break;
        default:
          if (!read_event(event)) {
            return truncated("the file ends within an event");
          }
      }
    }
  }

  // False where the file ends before the event does.
  bool read_event(RawEvent& event) {
    while (true) {
      event.offset = cursor_.offset();
      const Place after = *cursor_.at() == '{' ? scanner_.scan(cursor_.at(), cursor_.end(), event) : nullptr;
      if (after != nullptr && sink_.take(event)) {
        cursor_.move_to(after);
        return true;
      }
      if (const Place end = skip_value(cursor_.at(), cursor_.end())) {
        parse_event(end, event);
        return true;
      }
      if (!cursor_.refill()) {
        return false;
      }
    }
  }

  void parse_event(Place end, RawEvent& event) {
    if (*cursor_.at() == '{' && parser_.parse(cursor_.at(), end, event) && sink_.take(event)) {
      cursor_.move_to(end);
      return;
    }
    losses_.add(Loss::kMalformedEvent, [&] { return fmt::format("{}: no event at byte {}", name_, cursor_.offset()); });
    cursor_.move_to(end == cursor_.at() ? end + 1 : end);  // a stray bracket is no value: the next one begins behind it
  }

  // Whether there was an array of events. At {.
  Result<bool> read_root() {
    cursor_.skip_byte();
    bool events = false;
    while (true) {
      switch (cursor_.next_byte()) {
        case '}':
          cursor_.skip_byte();
          return events;
        case ',':
          cursor_.skip_byte();
          break;
        case '"':
          AACO_TRY(read_member(events));
          break;
        default:
          AACO_TRY(broken_off(events));
          return events;
      }
    }
  }

  Result<void> read_member(bool& events) {
    const Place key_end = cursor_.end_of_value();
    if (key_end == nullptr) {
      return broken_off(events);
    }
    const std::string key(cursor_.at() + 1, key_end - 1);
    cursor_.move_to(key_end);
    if (cursor_.next_byte() != ':') {
      return broken_off(events);
    }
    cursor_.skip_byte();
    if (cursor_.next_byte() == '[' && key == "traceEvents") {
      events = true;
      read_array();
      return {};
    }
    const Place end = cursor_.end_of_value();
    if (end == nullptr) {
      return broken_off(events);
    }
    sink_.take_metadata(key, {cursor_.at(), static_cast<size_t>(end - cursor_.at())});
    cursor_.move_to(end);
    return {};
  }

  // The root is not closed, or no JSON: what the events before are is known all the same.
  Result<void> broken_off(bool events) {
    if (!events) {
      return refused("ends or breaks off before \"traceEvents\"");
    }
    if (result_.whole) {
      truncated("the file's root breaks off");
    }
    return {};
  }

  JsonCursor cursor_;
  std::string name_;
  EventSink& sink_;
  LossTable& losses_;
  EventScanner scanner_;
  EventParser parser_;
  ReadResult result_;
};

}  // namespace

Result<ReadResult> read_events(ByteSource& source, const std::string& name, EventSink& sink, LossTable& losses,
                               size_t window_bytes) {
  return Reader(source, name, sink, losses, window_bytes).read();
}

}  // namespace aaco::chrome
