// SPDX-License-Identifier: MIT
#include "ingest/chrome/read_events.h"

#include <cstddef>
#include <fmt/format.h>
#include <utility>

#include "ingest/bytes/window.h"
#include "ingest/chrome/parse_event.h"
#include "ingest/chrome/scan.h"

namespace aaco::chrome {

static_assert(Window::kPadding >= kPadding);

namespace {

class Reader {
 public:
  Reader(ByteSource& source, std::string name, EventSink& sink, LossTable& losses, size_t window_bytes)
      : window_(source, window_bytes), name_(std::move(name)), sink_(sink), losses_(losses), at_(window_.begin()) {}

  Result<ReadResult> read() {
    skip_byte_order_mark();
    const int first = next_byte();
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
  static constexpr int kEnd = -1;

  Error refused(const std::string& why) const {
    if (window_.error()) {
      return *window_.error();
    }
    return {ErrorKind::kUsage, fmt::format("{}: {} (byte {})", name_, why, window_.offset_of(at_)),
            "name a trace in Chrome's JSON format, as PyTorch's profiler writes it"};
  }

  void skip_byte_order_mark() {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    while (static_cast<size_t>(window_.end() - at_) < kMark.size() && refill()) {
    }
    if (std::string_view(at_, static_cast<size_t>(window_.end() - at_)).starts_with(kMark)) {
      at_ += kMark.size();
    }
  }

  // The next byte that is no space, without consuming it; kEnd behind the last, or where reading stopped.
  int next_byte() {
    while (result_.whole) {
      at_ = skip_space(at_);
      if (at_ < window_.end()) {
        return static_cast<unsigned char>(*at_);
      }
      at_ = window_.end();
      if (!refill()) {
        return kEnd;
      }
    }
    return kEnd;
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

  void truncated(const char* why) {
    result_.whole = false;
    losses_.add(Loss::kTruncated, [&] {
      return window_.error() ? window_.error()->message
                             : fmt::format("{}: {} at byte {}", name_,
                                           window_.too_long() ? "a value is longer than the largest window" : why,
                                           window_.offset_of(at_));
    });
  }

  // Nothing may follow the root; and the check sum of a compressed file stands at its end.
  void read_to_the_end() {
    if (next_byte() != kEnd) {
      losses_.add(Loss::kTrailingData, [&] { return fmt::format("{}: byte {}", name_, window_.offset_of(at_)); });
    }
    do {
      at_ = window_.end();
    } while (refill());
    if (result_.whole && window_.error()) {
      truncated("");
    }
  }

  // at_ at '['.
  void read_array() {
    ++at_;
    RawEvent event;
    while (true) {
      switch (next_byte()) {
        case ']':
          ++at_;
          return;
        case kEnd:
          return truncated("the array of events is not closed");
        case ',':
          ++at_;
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
      event.offset = window_.offset_of(at_);
      const Place after = *at_ == '{' ? scan_event(at_, window_.end(), event) : nullptr;
      if (after != nullptr && sink_.take(event)) {
        at_ = after;
        return true;
      }
      if (const Place end = skip_value(at_, window_.end())) {
        parse_event(end, event);
        return true;
      }
      if (!refill()) {
        return false;
      }
    }
  }

  void parse_event(Place end, RawEvent& event) {
    if (*at_ == '{' && parser_.parse(at_, end, event) && sink_.take(event)) {
      at_ = end;
      return;
    }
    losses_.add(Loss::kMalformedEvent,
                [&] { return fmt::format("{}: no event at byte {}", name_, window_.offset_of(at_)); });
    at_ = end == at_ ? end + 1 : end;  // a stray bracket is no value: the next one begins behind it
  }

  // Whether there was an array of events. at_ at '{'.
  Result<bool> read_root() {
    ++at_;
    bool events = false;
    while (true) {
      switch (next_byte()) {
        case '}':
          ++at_;
          return events;
        case ',':
          ++at_;
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
    const Place key_end = end_of_value();
    if (key_end == nullptr) {
      return broken_off(events);
    }
    const std::string key(at_ + 1, key_end - 1);
    at_ = key_end;
    if (next_byte() != ':') {
      return broken_off(events);
    }
    ++at_;
    if (next_byte() == '[' && key == "traceEvents") {
      events = true;
      read_array();
      return {};
    }
    const Place end = end_of_value();
    if (end == nullptr) {
      return broken_off(events);
    }
    sink_.take_metadata(key, {at_, static_cast<size_t>(end - at_)});
    at_ = end;
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

  Window window_;
  std::string name_;
  EventSink& sink_;
  LossTable& losses_;
  EventParser parser_;
  Place at_;
  ReadResult result_;
};

}  // namespace

Result<ReadResult> read_events(ByteSource& source, const std::string& name, EventSink& sink, LossTable& losses,
                               size_t window_bytes) {
  return Reader(source, name, sink, losses, window_bytes).read();
}

}  // namespace aaco::chrome
