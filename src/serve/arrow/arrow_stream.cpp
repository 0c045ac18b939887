// SPDX-License-Identifier: MIT
#include "serve/arrow/arrow_stream.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "serve/arrow/flat_buffer.h"

namespace aaco::serve {

namespace {

using Place = FlatBuffer::Place;

// Numbers of Arrow's Schema.fbs and Message.fbs.
constexpr uint64_t kVersion5 = 4;
constexpr uint64_t kSchemaMessage = 1;
constexpr uint64_t kRecordBatchMessage = 3;
constexpr uint64_t kIntType = 2;
constexpr uint64_t kFloatType = 3;
constexpr uint64_t kDoublePrecision = 2;
constexpr size_t kAlignment = 8;

size_t length_of(const ArrowColumn& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.values);
}

Place add_type(FlatBuffer& buffer, const ArrowColumn& column) {
  if (std::holds_alternative<std::vector<double>>(column.values)) {
    return buffer.add_table(std::vector<FlatBuffer::Field>{{0, 2, kDoublePrecision}});
  }
  const uint64_t bits = std::visit([](const auto& values) { return 8 * sizeof(values[0]); }, column.values);
  return buffer.add_table(std::vector<FlatBuffer::Field>{{0, 4, bits}, {1, 1, 0}});
}

Place add_field(FlatBuffer& buffer, const ArrowColumn& column) {
  const bool real = std::holds_alternative<std::vector<double>>(column.values);
  const Place name = buffer.add_string(column.name);
  const Place type = add_type(buffer, column);
  const Place children = buffer.add_references({});
  return buffer.add_table(std::vector<FlatBuffer::Field>{{0, 0, name},
                                                         {1, 1, column.valid.empty() ? 0U : 1U},
                                                         {2, 1, real ? kFloatType : kIntType},
                                                         {3, 0, type},
                                                         {5, 0, children}});
}

std::string message(FlatBuffer& buffer, uint64_t type, Place header, uint64_t body_bytes) {
  const std::string metadata = buffer.finish(buffer.add_table(
      std::vector<FlatBuffer::Field>{{0, 2, kVersion5}, {1, 1, type}, {2, 0, header}, {3, 8, body_bytes}}));
  const auto bytes = static_cast<uint32_t>(metadata.size());
  std::string text("\xff\xff\xff\xff", 4);
  text.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  return text + metadata;
}

std::string schema_message(const std::vector<ArrowColumn>& columns,
                           const std::vector<std::pair<std::string, std::string>>& metadata) {
  FlatBuffer buffer;
  std::vector<Place> fields;
  for (const ArrowColumn& column : columns) {
    fields.push_back(add_field(buffer, column));
  }
  std::vector<Place> pairs;
  for (const auto& [key, value] : metadata) {
    const Place key_text = buffer.add_string(key);
    const Place value_text = buffer.add_string(value);
    pairs.push_back(buffer.add_table(std::vector<FlatBuffer::Field>{{0, 0, key_text}, {1, 0, value_text}}));
  }
  const Place field_list = buffer.add_references(fields);
  const Place pair_list = buffer.add_references(pairs);
  const Place schema = buffer.add_table(std::vector<FlatBuffer::Field>{{1, 0, field_list}, {2, 0, pair_list}});
  return message(buffer, kSchemaMessage, schema, 0);
}

// The buffers of all columns one behind the other, and where each is.
class Body {
 public:
  explicit Body(size_t bytes) { bytes_.reserve(bytes); }
  void add(const void* data, size_t bytes) {
    places_.push_back(bytes_.size());
    places_.push_back(bytes);
    bytes_.append(static_cast<const char*>(data), bytes);
    bytes_.append((kAlignment - bytes_.size() % kAlignment) % kAlignment, '\0');
  }
  void add_column(const ArrowColumn& column) {
    std::string bits((column.valid.size() + 7) / 8, '\0');
    for (size_t i = 0; i < column.valid.size(); ++i) {
      bits[i / 8] = static_cast<char>(bits[i / 8] | (column.valid[i] ? 1 << (i % 8) : 0));
    }
    add(bits.data(), bits.size());
    std::visit([this](const auto& values) { add(values.data(), values.size() * sizeof(values[0])); }, column.values);
  }
  const std::string& bytes() const { return bytes_; }
  const std::vector<uint64_t>& places() const { return places_; }

 private:
  std::string bytes_;
  std::vector<uint64_t> places_;
};

std::string batch_message(const std::vector<ArrowColumn>& columns) {
  size_t bytes = 0;
  for (const ArrowColumn& column : columns) {
    bytes += (length_of(column) + kAlignment) * (sizeof(double) + 1);
  }
  Body body(bytes);
  std::vector<uint64_t> nodes;
  for (const ArrowColumn& column : columns) {
    nodes.push_back(length_of(column));
    nodes.push_back(static_cast<uint64_t>(std::count(column.valid.begin(), column.valid.end(), false)));
    body.add_column(column);
  }
  FlatBuffer buffer;
  const Place node_list = buffer.add_structs(nodes, 2);
  const Place buffer_list = buffer.add_structs(body.places(), 2);
  const uint64_t rows = columns.empty() ? 0 : length_of(columns.front());
  const Place batch =
      buffer.add_table(std::vector<FlatBuffer::Field>{{0, 8, rows}, {1, 0, node_list}, {2, 0, buffer_list}});
  return message(buffer, kRecordBatchMessage, batch, body.bytes().size()) + body.bytes();
}

}  // namespace

std::string arrow_stream(const std::vector<ArrowColumn>& columns,
                         const std::vector<std::pair<std::string, std::string>>& metadata) {
  return schema_message(columns, metadata) + batch_message(columns) + std::string("\xff\xff\xff\xff\0\0\0\0", 8);
}

}  // namespace aaco::serve
