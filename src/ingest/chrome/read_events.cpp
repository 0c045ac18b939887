// SPDX-License-Identifier: MIT
#include "ingest/chrome/read_events.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "ingest/chrome/event_scanner.h"
#include "ingest/chrome/json_cursor.h"
#include "ingest/chrome/members.h"
#include "ingest/chrome/mend_event.h"
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
    } else if (first == '{' && begins_with_event()) {
      events = true;
      read_bare_events();
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
  static constexpr std::ptrdiff_t kNear = std::ptrdiff_t{1} << 14;  // most events are shorter
  static constexpr const char* kGaveUp = "most of it is no JSON, and reading ended";
  static constexpr uint64_t kMostWasted = uint64_t{1} << 24;  // bytes looked at for events that were none

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
            return truncated(gave_up_ ? kGaveUp : "the file ends within an event");
          }
      }
    }
  }

  // Events without brackets around them, a comma or a line's end between them. At the first one's {.
  void read_bare_events() {
    RawEvent event;
    for (int next = cursor_.next_byte(); next != kEnd; next = cursor_.next_byte()) {
      if (next == ',' || next == ']') {
        cursor_.skip_byte();
      } else if (!read_event(event)) {
        return truncated(gave_up_ ? kGaveUp : "the file ends within an event");
      }
    }
  }

  // Whether the object at { is an event: its first key is one of an event's members, and it has a phase.
  bool begins_with_event() {
    const Place key = skip_space(cursor_.at() + 1);
    const Place quote = key < cursor_.end() && *key == '"' ? find_quote(key + 1, cursor_.end()) : nullptr;
    if (quote == nullptr) {
      return false;
    }
    const std::string_view name(key + 1, static_cast<size_t>(quote - key - 1));
    RawEvent event;
    Place behind = nullptr;
    return (member_of(name) != nullptr || name == "args") &&
           mender_.mend(cursor_.at(), cursor_.end(), false, event, behind) == MendState::kMended &&
           event.phase.type == RawType::kText;
  }

  // The strict way: JSON. False where it is none.
  bool parse_event(Place end, RawEvent& event) {
    if (*cursor_.at() != '{' || !parser_.parse(cursor_.at(), end, event) || !sink_.take(event)) {
      return false;
    }
    cursor_.move_to(end);
    return true;
  }

  // False where the file ends before the event does.
  bool read_event(RawEvent& event) {
    bool at_end = false;  // of the file
    while (true) {
      event.offset = cursor_.offset();
      const Place after = *cursor_.at() == '{' ? scanner_.scan(cursor_.at(), cursor_.end(), event) : nullptr;
      if (after != nullptr && sink_.take(event)) {
        cursor_.move_to(after);
        return true;
      }
      const Place near = cursor_.at() + std::min(cursor_.end() - cursor_.at(), kNear);
      Place end = skip_value(cursor_.at(), near);
      if (end != nullptr && parse_event(end, event)) {
        return true;
      }
      Place behind = nullptr;
      const MendState state = *cursor_.at() != '{' ? MendState::kNeedsMore
                                                   : mender_.mend(cursor_.at(), cursor_.end(), at_end, event, behind);
      const bool may_be_json = *cursor_.at() != '{' || !mender_.damaged();
      if (end == nullptr && may_be_json) {
        end = skip_value(cursor_.at(), cursor_.end());
        if (end != nullptr && parse_event(end, event)) {
          return true;
        }
      }
      if (state == MendState::kMended) {
        return take_mended(behind, event);
      }
      const bool is_none = state == MendState::kNoEvent || (end != nullptr && may_be_json);
      if (is_none && skip_malformed(end)) {
        return true;
      }
      if (at_end || gave_up_) {
        return false;
      }
      at_end = !cursor_.refill();
    }
  }

  bool take_mended(Place behind, RawEvent& event) {
    if (event.arguments.empty() && event.others.empty() && event.phase.type == RawType::kAbsent) {
      return skip_malformed(behind);
    }
    sink_.take(event);
    cursor_.move_to(behind);
    return true;
  }

  // On to the next event: what lies before may be of one whose brackets do not match. `end`: by its brackets; null
  // where they do not match within reach. False where none follows.
  bool skip_malformed(Place end) {
    const Place at = cursor_.at();
    if (*at == '{') {
      const Place last = end != nullptr ? end : cursor_.end();
      const Place next = find_event(at + 1, last);
      const Place searched = next != nullptr ? next : last;
      wasted_ += static_cast<uint64_t>(mender_.reach() - at) + static_cast<uint64_t>(searched - at);
      end = next != nullptr ? next : end;
    }
    gave_up_ = wasted_ > kMostWasted + 2 * cursor_.offset();
    if (end == nullptr || gave_up_) {
      return false;
    }
    losses_.add(Loss::kMalformedEvent, [&] { return fmt::format("{}: no event at byte {}", name_, cursor_.offset()); });
    cursor_.move_to(end == at ? end + 1 : end);  // a stray bracket is no value: the next one begins behind it
    return true;
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
    const Place end = *cursor_.at() == '"' ? end_of_root_text() : cursor_.end_of_value();
    if (end == nullptr) {
      return broken_off(events);
    }
    sink_.take_metadata(key, {cursor_.at(), static_cast<size_t>(end - cursor_.at())});
    cursor_.move_to(end);
    return {};
  }

  // A path may end with a lone backslash.
  Place end_of_root_text() {
    for (bool at_end = false;; at_end = !cursor_.refill()) {
      bool as_written = false;
      const Place end = end_of_text(cursor_.at(), cursor_.end(), TextPlace::kValue, at_end, as_written);
      if (end != nullptr || at_end) {
        return end;
      }
    }
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
  EventMender mender_;
  uint64_t wasted_ = 0;
  bool gave_up_ = false;
  ReadResult result_;
};

}  // namespace

Result<ReadResult> read_events(ByteSource& source, const std::string& name, EventSink& sink, LossTable& losses,
                               size_t window_bytes) {
  return Reader(source, name, sink, losses, window_bytes).read();
}

}  // namespace aaco::chrome
