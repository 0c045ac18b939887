// SPDX-License-Identifier: MIT
#include "serve/arrow/arrow_stream.h"

#include <string_view>

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

size_t bytes_of(ArrowType type) {
  switch (type) {
    case ArrowType::kUint8:
      return 1;
    case ArrowType::kUint16:
      return 2;
    case ArrowType::kUint32:
      return 4;
    case ArrowType::kDouble:
      break;
  }
  return sizeof(double);
}

Place add_type(FlatBuffer& buffer, ArrowType type) {
  if (type == ArrowType::kDouble) {
    return buffer.add_table(std::vector<FlatBuffer::Field>{{0, 2, kDoublePrecision}});
  }
  return buffer.add_table(std::vector<FlatBuffer::Field>{{0, 4, 8 * bytes_of(type)}, {1, 1, 0}});
}

Place add_field(FlatBuffer& buffer, const ArrowField& field) {
  const Place name = buffer.add_string(field.name);
  const Place type = add_type(buffer, field.type);
  const Place children = buffer.add_references({});
  return buffer.add_table(
      std::vector<FlatBuffer::Field>{{0, 0, name},
                                     {1, 1, field.nulls == 0 ? 0U : 1U},
                                     {2, 1, field.type == ArrowType::kDouble ? kFloatType : kIntType},
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

std::string schema_message(std::span<const ArrowField> fields,
                           const std::vector<std::pair<std::string, std::string>>& metadata) {
  FlatBuffer buffer;
  std::vector<Place> places;
  for (const ArrowField& field : fields) {
    places.push_back(add_field(buffer, field));
  }
  std::vector<Place> pairs;
  for (const auto& [key, value] : metadata) {
    const Place key_text = buffer.add_string(key);
    const Place value_text = buffer.add_string(value);
    pairs.push_back(buffer.add_table(std::vector<FlatBuffer::Field>{{0, 0, key_text}, {1, 0, value_text}}));
  }
  const Place field_list = buffer.add_references(places);
  const Place pair_list = buffer.add_references(pairs);
  const Place schema = buffer.add_table(std::vector<FlatBuffer::Field>{{1, 0, field_list}, {2, 0, pair_list}});
  return message(buffer, kSchemaMessage, schema, 0);
}

// Where each buffer of a batch lies in its body, and how long it is: of each field its validity and its values.
struct BodyLayout {
  std::vector<uint64_t> buffers;
  size_t bytes = 0;

  void add(size_t buffer_bytes) {
    buffers.push_back(bytes);
    buffers.push_back(buffer_bytes);
    bytes += (buffer_bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
};

std::string batch_message(std::span<const ArrowField> fields, size_t rows, const BodyLayout& body) {
  std::vector<uint64_t> nodes;
  for (const ArrowField& field : fields) {
    nodes.push_back(rows);
    nodes.push_back(field.nulls);
  }
  FlatBuffer buffer;
  const Place node_list = buffer.add_structs(nodes, 2);
  const Place buffer_list = buffer.add_structs(body.buffers, 2);
  const Place batch =
      buffer.add_table(std::vector<FlatBuffer::Field>{{0, 8, rows}, {1, 0, node_list}, {2, 0, buffer_list}});
  return message(buffer, kRecordBatchMessage, batch, body.bytes);
}

}  // namespace

ArrowStream::ArrowStream(std::span<const ArrowField> fields, size_t rows,
                         const std::vector<std::pair<std::string, std::string>>& metadata)
    : rows_(rows) {
  BodyLayout body;
  for (const ArrowField& field : fields) {
    body.add(field.nulls == 0 ? 0 : validity_bytes());
    body.add(rows * bytes_of(field.type));
  }
  bytes_ = schema_message(fields, metadata) + batch_message(fields, rows, body);
  const size_t start = bytes_.size();
  for (size_t i = 0; i < body.buffers.size(); i += 2) {
    places_.push_back(start + body.buffers[i]);
  }
  constexpr std::string_view kEnd("\xff\xff\xff\xff\0\0\0\0", 8);
  bytes_.reserve(start + body.bytes + kEnd.size());
  bytes_.resize(start + body.bytes);
  bytes_.append(kEnd);
}

}  // namespace aaco::serve
