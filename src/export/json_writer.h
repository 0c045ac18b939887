// SPDX-License-Identifier: MIT
// JSON text, piece by piece: the texts of a string table, exact numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/output_file.h"
#include "record/events/event_table.h"

namespace aaco {

class JsonWriter {
 public:
  JsonWriter(OutputFile& file, const StringTable& strings)
      : file_(file), strings_(strings), texts_(strings.size()), jsons_(strings.size()) {}

  void raw(std::string_view json) { file_.append(json); }
  void next_element() {  // of the file's array of events
    raw(elements_++ == 0 ? "\n" : ",\n");
  }
  void text(std::string_view text);  // with its quotes; bad bytes as U+FFFD
  void text(StringId id) {
    if (texts_[id] == Text::kPlain) {
      raw("\"");
      raw(strings_[id]);
      raw("\"");
    } else {
      odd_text(id);
    }
  }
  void json(StringId id);  // an array or object, or any other value; a text where it is no JSON
  void integer(int64_t value);
  void microseconds(int64_t ns);  // three digits behind the point
  void value(const Argument& argument);

  // Distinct texts that were no UTF-8, and values that JSON has no number for.
  uint64_t mended() const { return mended_; }
  uint64_t no_numbers() const { return no_numbers_; }

 private:
  enum class Text : uint8_t { kUnseen, kPlain, kEscaped };
  enum class Json : uint8_t { kUnseen, kGood, kBad };

  void odd_text(StringId id);
  void real(double value);

  OutputFile& file_;
  const StringTable& strings_;
  std::vector<Text> texts_;  // by number
  std::vector<Json> jsons_;  // likewise
  std::string escaped_;
  uint64_t elements_ = 0;
  uint64_t mended_ = 0;
  uint64_t no_numbers_ = 0;
};

}  // namespace aaco
