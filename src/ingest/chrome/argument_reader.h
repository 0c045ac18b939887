// SPDX-License-Identifier: MIT
// Values of the file as arguments of an event table: each exactly what the text says, or that text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/utf8_texts.h"
#include "ingest/chrome/json_texts.h"
#include "ingest/chrome/raw_event.h"
#include "record/events/event_table.h"

namespace aaco::chrome {

std::optional<int64_t> integer_of(std::string_view text);  // the whole text, within 64 bits

// A number, or the number that a text is.
inline std::optional<int64_t> integer_of(const RawValue& value) {
  return value.is_integer() ? std::optional(value.digits) : integer_of(value.text);
}

class ArgumentReader {
 public:
  // Interns into `table` and counts its losses there; `name` is the file's.
  ArgumentReader(EventTable& table, std::string name) : table_(table), name_(std::move(name)) {}

  // Whether a key of that slot was read: read() does not look at the next one's text.
  bool knows(KeySlot slot) const { return slot != kNoSlot && slot < known_.size() && known_[slot].key != kEmptyString; }

  // False where an array or object is no JSON.
  bool read(const RawArgument& raw, Argument& into) {
    if (raw.value.is_integer() && knows(raw.slot)) {  // most are
      into = {known_[raw.slot].key, ArgumentType::kInteger, static_cast<uint64_t>(raw.value.digits)};
      return true;
    }
    return read_any(raw, into);
  }

  StringId text_of(std::string_view text) { return intern_utf8(table_, text, name_); }

 private:
  // A key of a slot, and what it had the last time.
  struct KeyCache {
    StringId key = kEmptyString;
    StringId text = kEmptyString;
    StringId json = kEmptyString;  // as JsonTexts counts
  };

  bool read_any(const RawArgument& raw, Argument& into);
  KeyCache& cache_of(const RawArgument& raw);
  void read_number(const RawValue& value, Argument& into);

  EventTable& table_;
  std::string name_;
  JsonTexts json_;
  std::vector<KeyCache> known_ = {{}};  // by slot
};

}  // namespace aaco::chrome
