// SPDX-License-Identifier: MIT
// One event of Chrome's trace format as it lies in the file: views of its text, not yet a time, a track or a kind.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace aaco::chrome {

enum class RawType : uint8_t { kAbsent, kNumber, kText, kJson, kTrue, kFalse, kNull };

// `text`: of a number its digits, of a text its content with escapes resolved, of kJson the array or object as it is.
struct RawValue {
  static constexpr uint8_t kUnknownDecimals = 255;

  RawType type = RawType::kAbsent;
  // Of a number: it is exactly `digits` / 10^decimals; kUnknownDecimals where that is not known.
  uint8_t decimals = kUnknownDecimals;
  std::string_view text;
  int64_t digits = 0;

  RawValue() = default;
  RawValue(RawType its_type, std::string_view its_text) : type(its_type), text(its_text) {}

  bool is_integer() const { return decimals == 0; }
};

// A number for a key, the same for all its values in a file; kNoSlot where none was given.
using KeySlot = uint16_t;
inline constexpr KeySlot kNoSlot = 0;

struct RawArgument {
  std::string_view key;
  RawValue value;
  KeySlot slot = kNoSlot;
};

// A value that is none of JSON's, as it stands there.
struct UnreadValue {
  std::string_view key;
  std::string_view text;
  bool is_argument = false;  // else a member of the event
};

struct RawEvent {
  RawValue phase;
  RawValue category;
  RawValue name;
  RawValue process;
  RawValue thread;
  RawValue time;      // microseconds
  RawValue duration;  // microseconds
  RawValue id;
  std::vector<RawArgument> arguments;
  std::vector<RawArgument> others;  // members that the format does not give a place above
  uint64_t offset = 0;              // of the event's first byte
  bool duplicate_key = false;       // of the members above; the last one counts
  bool not_utf8 = false;            // its text was not: each bad byte is written as utf8_of_bytes does
  bool mended = false;              // no JSON, but read as it is meant, without the `unread`
  std::vector<UnreadValue> unread;

  void clear() {
    phase = category = name = process = thread = time = duration = id = RawValue();
    arguments.clear();
    others.clear();
    duplicate_key = not_utf8 = mended = false;
    unread.clear();
  }
};

}  // namespace aaco::chrome
