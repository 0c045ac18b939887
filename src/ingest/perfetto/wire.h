// SPDX-License-Identifier: MIT
// Protocol buffers' wire format: a message as a series of numbered fields, without a schema.
#pragma once

#include <cstdint>
#include <string_view>

namespace aaco::perfetto {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  uint64_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;      // of all but kBytes
  std::string_view bytes;  // of kBytes: a text, a message, or packed numbers

  int64_t as_signed() const { return static_cast<int64_t>(value); }
  double as_double() const;
};

enum class Varint : uint8_t { kRead, kCut, kTooLong };

// `p` moves behind it where it is read.
Varint read_varint(const char*& p, const char* end, uint64_t& value);

class WireReader {
 public:
  explicit WireReader(std::string_view message) : p_(message.data()), end_(message.data() + message.size()) {}

  // False at the end, and where the rest is no field.
  bool next(WireField& field);
  bool malformed() const { return malformed_; }

 private:
  bool take_value(WireField& field, uint64_t type);

  const char* p_;
  const char* end_;
  bool malformed_ = false;
};

// Calls take(value) for a repeated number, packed or not. `type`: of one.
template <class Take>
void each_number(const WireField& field, WireType type, Take take) {
  if (field.type != WireType::kBytes) {
    take(field);
    return;
  }
  const char* p = field.bytes.data();
  const char* const end = p + field.bytes.size();
  WireField wire_field{field.number, type, 0, {}};
  if (type == WireType::kVarint) {
    while (p < end && read_varint(p, end, wire_field.value) == Varint::kRead) {
      take(wire_field);
    }
    return;
  }
  for (; end - p >= 8; p += 8) {
    wire_field.value = 0;
    for (int byte = 7; byte >= 0; --byte) {
      wire_field.value = wire_field.value << 8 | static_cast<unsigned char>(p[byte]);
    }
    take(wire_field);
  }
}

}  // namespace aaco::perfetto
