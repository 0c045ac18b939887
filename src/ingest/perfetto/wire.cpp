// SPDX-License-Identifier: MIT
#include "ingest/perfetto/wire.h"

#include <bit>
#include <cstddef>

namespace aaco::perfetto {

namespace {

constexpr uint64_t kMostFields = uint64_t{1} << 29;

// Little-endian, wherever we run.
uint64_t read_fixed(const char* p, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = bytes; i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(p[i - 1]);
  }
  return value;
}

}  // namespace

double WireField::as_double() const { return std::bit_cast<double>(value); }

Varint read_varint(const char*& p, const char* end, uint64_t& value) {
  value = 0;
  for (int i = 0; i < 10; ++i) {
    if (p + i >= end) {
      return Varint::kCut;
    }
    const auto byte = static_cast<unsigned char>(p[i]);
    value |= uint64_t{byte & 0x7FU} << (7 * i);
    if (byte < 0x80) {
      p += i + 1;
      return Varint::kRead;
    }
  }
  return Varint::kTooLong;
}

bool WireReader::next(WireField& field) {
  if (p_ == end_ || malformed_) {
    return false;
  }
  uint64_t tag = 0;
  malformed_ = read_varint(p_, end_, tag) != Varint::kRead || tag >> 3 == 0 || tag >> 3 >= kMostFields;
  field.number = tag >> 3;
  malformed_ = malformed_ || !take_value(field, tag & 7);
  return !malformed_;
}

bool WireReader::take_value(WireField& field, uint64_t type) {
  const auto left = [&] { return static_cast<uint64_t>(end_ - p_); };
  const auto fixed = [&](size_t bytes) {
    if (left() < bytes) {
      return false;
    }
    field.value = read_fixed(p_, bytes);
    p_ += bytes;
    return true;
  };
  field.type = static_cast<WireType>(type);
  field.bytes = {};
  switch (field.type) {
    case WireType::kVarint:
      return read_varint(p_, end_, field.value) == Varint::kRead;
    case WireType::kFixed64:
      return fixed(8);
    case WireType::kFixed32:
      return fixed(4);
    case WireType::kBytes:
      if (read_varint(p_, end_, field.value) != Varint::kRead || field.value > left()) {
        return false;
      }
      field.bytes = {p_, static_cast<size_t>(field.value)};
      p_ += field.value;
      return true;
  }
  return false;  // groups, which nobody writes any more
}

}  // namespace aaco::perfetto
