// SPDX-License-Identifier: MIT
// A protocol buffers message, field by field.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace aaco::perfetto {

class Message {
 public:
  void clear() { bytes_.clear(); }
  std::string_view bytes() const { return bytes_; }

  void number(uint32_t field, uint64_t value) {
    varint(uint64_t{field} << 3);
    varint(value);
  }
  void fixed(uint32_t field, uint64_t value) {
    varint(uint64_t{field} << 3 | 1);
    for (int shift = 0; shift < 64; shift += 8) {
      bytes_ += static_cast<char>(value >> shift & 0xFF);
    }
  }
  void real(uint32_t field, double value) { fixed(field, std::bit_cast<uint64_t>(value)); }
  void text(uint32_t field, std::string_view value) {
    varint(uint64_t{field} << 3 | 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(uint32_t field, const Message& value) { text(field, value.bytes_); }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      bytes_ += static_cast<char>(value | 0x80);
    }
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace aaco::perfetto
