// SPDX-License-Identifier: MIT
// Texts of a file as an event table holds them: UTF-8, whatever the bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "record/events/event_table.h"

namespace aaco {

inline bool is_ascii(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  uint64_t bytes = 0;
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= text.size(); at += sizeof(uint64_t)) {
    uint64_t eight = 0;
    std::memcpy(&eight, text.data() + at, sizeof(eight));
    bytes |= eight;
  }
  for (; at < text.size(); ++at) {
    bytes |= static_cast<unsigned char>(text[at]);
  }
  return (bytes & kHighBits) == 0;
}

// As the two below, of a text that is not ASCII.
StringId intern_any_bytes(EventTable& table, std::string_view text, const std::string& file);
StringId intern_any_bytes(StringTable& strings, std::string_view text);

// The number of a text. One that is not UTF-8 is interned as utf8_of_bytes writes it, so that texts that differ in
// bytes stay apart, and is a loss the first time. `file`: in messages.
inline StringId intern_utf8(EventTable& table, std::string_view text, const std::string& file) {
  return is_ascii(text) ? table.strings.intern(text) : intern_any_bytes(table, text, file);
}

// The same without a loss.
inline StringId intern_utf8(StringTable& strings, std::string_view text) {
  return is_ascii(text) ? strings.intern(text) : intern_any_bytes(strings, text);
}

}  // namespace aaco
