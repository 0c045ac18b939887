// SPDX-License-Identifier: MIT
// Values of the file as arguments of an event table: each exactly what the text says, or that text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/chrome/json_texts.h"
#include "ingest/chrome/raw_event.h"
#include "trace/event_table.h"

namespace aaco::chrome {

std::optional<int64_t> integer_of(std::string_view text);  // the whole text, within 64 bits

class ArgumentReader {
 public:
  // Interns into `table` and counts its losses there; `name` is the file's.
  ArgumentReader(EventTable& table, std::string name) : table_(table), name_(std::move(name)) {}

  void begin_event() { last_key_ = kEmptyString; }

  // None where an array or object is no JSON.
  std::optional<Argument> read(std::string_view key, const RawValue& value);

  StringId text_of(std::string_view text);

 private:
  StringId key_of(std::string_view key);
  Argument number_of(Argument argument, std::string_view text);

  EventTable& table_;
  std::string name_;
  JsonTexts json_;
  std::vector<StringId> key_after_;  // by key: the one that followed it the last time
  StringId last_key_ = kEmptyString;
};

}  // namespace aaco::chrome
