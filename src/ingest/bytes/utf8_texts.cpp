// SPDX-License-Identifier: MIT
#include "ingest/bytes/utf8_texts.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text/utf8.h"

namespace aaco {

StringId intern_any_bytes(StringTable& strings, std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size()) ? strings.intern(text) : strings.intern(utf8_of_bytes(text));
}

StringId intern_any_bytes(EventTable& table, std::string_view text, const std::string& file) {
  if (simdjson::validate_utf8(text.data(), text.size())) {
    return table.strings.intern(text);
  }
  const size_t known = table.strings.size();
  const StringId id = table.strings.intern(utf8_of_bytes(text));
  if (id == known) {
    table.losses.add(Loss::kNotUtf8, [&] { return fmt::format("{}: \"{}\"", file, table.strings[id].substr(0, 80)); });
  }
  return id;
}

}  // namespace aaco
