// SPDX-License-Identifier: MIT
// Columns of numbers as an Arrow IPC stream: a schema, one record batch, the end (arrow.apache.org/docs/format,
// "Columnar format"; metadata version 5). Any Arrow library reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace aaco::serve {

inline constexpr const char* kArrowStreamType = "application/vnd.apache.arrow.stream";

enum class ArrowType : uint8_t { kUint8, kUint16, kUint32, kDouble };

struct ArrowField {
  const char* name;
  ArrowType type;
  uint64_t nulls = 0;  // rows without a value
};

// The stream with room for the values, which are written where they stay: an answer of a timeline is not copied.
class ArrowStream {
 public:
  // `metadata`: keys and values beside the schema.
  ArrowStream(std::span<const ArrowField> fields, size_t rows,
              const std::vector<std::pair<std::string, std::string>>& metadata);

  // Room for a value of the field's type for each row, zeros so far; of rows without a value too.
  template <class Value>
  Value* values(size_t field) {
    return reinterpret_cast<Value*>(bytes_.data() + places_[2 * field + 1]);
  }
  // Room for a bit for each row, the lowest of a byte first: whether it has a value. Of fields with nulls alone.
  uint8_t* validity(size_t field) { return reinterpret_cast<uint8_t*>(bytes_.data() + places_[2 * field]); }
  size_t validity_bytes() const { return (rows_ + 7) / 8; }

  std::string finish() { return std::move(bytes_); }

 private:
  size_t rows_;
  std::string bytes_;
  std::vector<size_t> places_;  // of each field its validity and its values
};

}  // namespace aaco::serve
