// SPDX-License-Identifier: MIT
#include "ingest/chrome/read_events.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "ingest/bytes/window.h"
#include "ingest/chrome/parse_event.h"
#include "ingest/chrome/scan.h"

namespace aaco::chrome {

static_assert(Window::kPadding >= kPadding);

namespace {

class Reader {
 public:
  Reader(ByteSource& source, std::string name, EventSink& sink, LossTable& losses)
      : window_(source), name_(std::move(name)), sink_(sink), losses_(losses), at_(window_.begin()) {}

  Result<ReadResult> read() {
    const char first = next_byte();
    bool events = false;
    if (first == '[') {
      events = true;
      read_array();
    } else if (first == '{') {
      AACO_ASSIGN(events, read_root());
    } else {
      return refused(first == '\0' ? "is empty" : "does not begin with { or [");
    }
    if (!events) {
      return refused("has no \"traceEvents\"");
    }
    result_.bytes = window_.offset_of(window_.end());
    return result_;
  }

 private:
  Error refused(const std::string& why) const {
    if (window_.error()) {
      return *window_.error();
    }
    return {ErrorKind::kUsage, fmt::format("{}: {} (byte {})", name_, why, window_.offset_of(at_)),
            "name a trace in Chrome's JSON format, as PyTorch's profiler writes it"};
  }

  // The next byte that is no space, without consuming it; 0 at the end.
  char next_byte() {
    while (result_.whole) {
      at_ = skip_space(at_);
      if (at_ < window_.end()) {
        return *at_;
      }
      at_ = window_.end();
      if (!refill()) {
        return '\0';
      }
    }
    return '\0';
  }

  bool refill() {
    const bool more = window_.refill(at_);
    at_ = window_.begin();
    return more;
  }

  // The end of the value at at_, which is in the window as a whole then; null where the file ends before.
  Place end_of_value() {
    while (true) {
      if (const Place end = skip_value(at_, window_.end())) {
        return end;
      }
      if (!refill()) {
        return nullptr;
      }
    }
  }

  void truncated() {
    result_.whole = false;
    losses_.add(Loss::kTruncated, [&] {
      if (window_.error()) {
        return window_.error()->message;
      }
      return fmt::format("{}: {} at byte {}", name_,
                         window_.too_long() ? "a value longer than the largest window" : "the file ends within a value",
                         window_.offset_of(at_));
    });
    at_ = window_.end();
  }

  // at_ at '['.
  void read_array() {
    ++at_;
    RawEvent event;
    while (true) {
      const char c = next_byte();
      if (c == ']') {
        ++at_;
        return;
      }
      if (c == '\0') {
        return truncated();
      }
      if (c == ',') {
        ++at_;
        continue;
      }
      if (!read_event(event)) {
        return truncated();
      }
    }
  }

  bool read_event(RawEvent& event) {
    if (*at_ == '{') {
      const Place after = scan_event(at_, window_.end(), event);
      event.offset = window_.offset_of(at_);
      if (after != nullptr && sink_.take(event)) {
        ++result_.events;
        at_ = after;
        return true;
      }
    }
    const Place end = end_of_value();
    if (end == nullptr) {
      return false;
    }
    event.offset = window_.offset_of(at_);
    if (*at_ == '{' && parser_.parse(at_, end, event) && sink_.take(event)) {
      ++result_.events;
    } else {
      losses_.add(Loss::kMalformedEvent,
                  [&] { return fmt::format("{}: no event at byte {}", name_, window_.offset_of(at_)); });
      // A stray bracket is no value: step over it, or the next value would begin where this one does.
      at_ = end == at_ ? end + 1 : end;
      return true;
    }
    at_ = end;
    return true;
  }

  // Whether there was an array of events. at_ at '{'.
  Result<bool> read_root() {
    ++at_;
    bool events = false;
    while (true) {
      const char c = next_byte();
      if (c == '}' || (c == '\0' && events)) {
        if (c == '\0' && result_.whole) {
          truncated();
        }
        return events;
      }
      if (c == ',') {
        ++at_;
        continue;
      }
      if (c != '"') {
        if (events) {
          truncated();
          return events;
        }
        return refused(c == '\0' ? "ends before \"traceEvents\"" : "is no JSON");
      }
      AACO_TRY(read_member(events));
    }
  }

  Result<void> read_member(bool& events) {
    const Place key_end = end_of_value();
    if (key_end == nullptr) {
      return early(events);
    }
    const std::string key(at_ + 1, key_end - 1);
    at_ = key_end;
    if (next_byte() != ':') {
      return early(events);
    }
    ++at_;
    if (next_byte() == '[' && key == "traceEvents") {
      events = true;
      read_array();
      return {};
    }
    const Place end = end_of_value();
    if (end == nullptr) {
      return early(events);
    }
    sink_.take_metadata(key, {at_, static_cast<size_t>(end - at_)});
    at_ = end;
    return {};
  }

  Result<void> early(bool events) {
    if (!events) {
      return refused("ends or breaks off before \"traceEvents\"");
    }
    truncated();
    return {};
  }

  Window window_;
  std::string name_;
  EventSink& sink_;
  LossTable& losses_;
  EventParser parser_;
  Place at_;
  ReadResult result_;
};

}  // namespace

Result<ReadResult> read_events(ByteSource& source, const std::string& name, EventSink& sink, LossTable& losses) {
  return Reader(source, name, sink, losses).read();
}

}  // namespace aaco::chrome
