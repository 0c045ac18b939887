// SPDX-License-Identifier: MIT
// Arrays and objects among the arguments of events: the same few again and again. Each distinct one is checked and
// freed of its white space once.
#pragma once

#include <optional>
#include <simdjson.h>
#include <string_view>

#include "base/memory/growing_array.h"
#include "record/events/loss_table.h"
#include "record/events/string_table.h"

namespace aaco::chrome {

class JsonTexts {
 public:
  JsonTexts() { known_.push_back(std::nullopt); }  // "" is no JSON

  // Longer ones, and ones nested deeper than the parser goes, are not looked into.
  static constexpr size_t kLongest = size_t{1} << 24;

  struct Text {
    StringId id = kEmptyString;  // in `strings`, without white space where read
    std::optional<Loss> unread;  // why it is a text that was not looked into
    std::optional<Loss> bytes;   // it was no UTF-8, and is written as utf8_of_bytes does
  };

  // None where it is no JSON. `seen`: kEmptyString at first, then what the call before left there; it is quick where
  // that was of the same text.
  std::optional<Text> text_of(std::string_view json, StringId& seen, StringTable& strings);

 private:
  std::optional<Text> check(std::string_view json, StringTable& strings);

  StringTable raw_;
  GrowingArray<std::optional<Text>> known_;  // by the id in raw_
  simdjson::dom::parser parser_;
};

}  // namespace aaco::chrome
