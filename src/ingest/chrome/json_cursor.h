// SPDX-License-Identifier: MIT
// A place in a JSON file that moves from first to last through a sliding window: values are found by their quotes and
// brackets, and are in the window as a whole when they are handed out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/bytes/window.h"
#include "ingest/chrome/scan.h"

namespace aaco::chrome {

class JsonCursor {
 public:
  static constexpr int kEnd = -1;

  explicit JsonCursor(ByteSource& source, size_t window_bytes = size_t{1} << 20)
      : window_(source, window_bytes), at_(window_.begin()) {}

  void skip_byte_order_mark();

  // The next byte that is no space, without consuming it; kEnd behind the last, or where reading was stopped.
  int next_byte() {
    const Place next = skip_space(at_);
    if (next < window_.end() && !stopped_) {
      at_ = next;
      return static_cast<unsigned char>(*next);
    }
    return next_byte_after_refill();
  }
  void skip_byte() { ++at_; }
  void stop() { stopped_ = true; }  // nothing more is read

  Place at() const { return at_; }
  Place end() const { return window_.end(); }  // of what is in the window
  void move_to(Place place) { at_ = place; }
  uint64_t offset() const { return window_.offset_of(at_); }

  // Reads more behind at(), which keeps its bytes and moves; false at the end.
  bool refill();

  // The end of the value at at(), which is in the window as a whole then; null where the file ends before.
  Place end_of_value();
  // That value, consumed: never empty, if need be one stray byte. It holds until the next call. None where the file
  // ends before.
  std::optional<std::string_view> take_value();

  // Goes on to the source's last byte: the check sum of a compressed file stands there.
  void read_out();

  // Why reading ended where it did: what the source says, else `otherwise`, with the place.
  std::string why_it_ended(const std::string& name, const char* otherwise) const;
  const std::optional<Error>& error() const { return window_.error(); }

  // Calls take() at each element of the array, or take(key) at each member of the object, that begins at at(); it
  // consumes the value, and returns whether to go on. False where that did, or the text ends or breaks off.
  template <class Take>
  bool each_element(Take take);
  template <class Take>
  bool each_member(Take take);

 private:
  int next_byte_after_refill();

  Window window_;
  Place at_;
  bool stopped_ = false;
};

template <class Take>
bool JsonCursor::each_element(Take take) {
  skip_byte();
  for (int byte = next_byte(); byte != ']'; byte = next_byte()) {
    if (byte == ',') {
      skip_byte();
    } else if (byte == kEnd || !take()) {
      return false;
    }
  }
  skip_byte();
  return true;
}

template <class Take>
bool JsonCursor::each_member(Take take) {
  skip_byte();
  for (int byte = next_byte(); byte != '}'; byte = next_byte()) {
    if (byte == ',') {
      skip_byte();
      continue;
    }
    const auto quoted = byte == '"' ? take_value() : std::nullopt;
    if (!quoted) {
      return false;
    }
    const std::string key(quoted->substr(1, quoted->size() - 2));
    if (next_byte() != ':') {
      return false;
    }
    skip_byte();
    if (next_byte() == kEnd || !take(key)) {
      return false;
    }
  }
  skip_byte();
  return true;
}

}  // namespace aaco::chrome
