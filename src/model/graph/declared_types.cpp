// SPDX-License-Identifier: MIT
#include "model/graph/declared_types.h"

#include <algorithm>

#include "model/graph/tensor_facts.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

// "sequence(optional(float32))"; protobuf bounds the depth.
std::string type_name(const onnx::TypeProto& type) {
  switch (type.value_case()) {
    case onnx::TypeProto::kTensorType:
      return dtype_name(type.tensor_type().elem_type());
    case onnx::TypeProto::kSparseTensorType:
      return "sparse(" + dtype_name(type.sparse_tensor_type().elem_type()) + ")";
    case onnx::TypeProto::kSequenceType:
      return "sequence(" + type_name(type.sequence_type().elem_type()) + ")";
    case onnx::TypeProto::kOptionalType:
      return "optional(" + type_name(type.optional_type().elem_type()) + ")";
    case onnx::TypeProto::kMapType:
      return "map(" + dtype_name(type.map_type().key_type()) + "," + type_name(type.map_type().value_type()) + ")";
    default:
      return "";
  }
}

// Every tensor and edge repeats its type: of nested types only those that a model has are kept.
std::string short_type_name(const onnx::TypeProto& type) {
  constexpr size_t kLongestType = 64;
  std::string name = type_name(type);
  return name.size() <= kLongestType ? name : "";
}

// Bytes of the UTF-8 sequence at `at`; 0 when there is none (overlong forms, surrogates and cut ends included).
size_t sequence_length(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(at);
  const unsigned second = byte(at + 1);
  if (first < 0x80U) {
    return 1;
  }
  if (first >= 0xC2U && first <= 0xDFU) {
    return continues(at + 1) ? 2 : 0;
  }
  if (first >= 0xE0U && first <= 0xEFU) {
    const bool overlong = first == 0xE0U && second < 0xA0U;
    const bool surrogate = first == 0xEDU && second >= 0xA0U;
    return continues(at + 1) && continues(at + 2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const bool outside = (first == 0xF0U && second < 0x90U) || (first == 0xF4U && second >= 0x90U);
    return continues(at + 1) && continues(at + 2) && continues(at + 3) && !outside ? 4 : 0;
  }
  return 0;
}

}  // namespace

TensorInfo tensor_info(const onnx::ValueInfoProto& declaration) {
  TensorInfo info;
  info.name = valid_utf8(declaration.name());
  info.dtype = short_type_name(declaration.type());
  const onnx::TypeProto& type = declaration.type();
  info.rank_known = type.has_tensor_type() && type.tensor_type().has_shape() &&
                    type.tensor_type().shape().dim_size() <= static_cast<int>(kMaxRank);
  if (!info.rank_known) {
    return info;
  }
  for (const auto& dim : type.tensor_type().shape().dim()) {
    const int64_t size = dim.has_dim_value() ? dim.dim_value() : -1;
    info.dims.push_back(size < 0 || size > kMaxDim ? -1 : size);
    info.dim_names.push_back(valid_utf8(dim.dim_param()));
  }
  return info;
}

std::string valid_utf8(const std::string& text) {
  std::string valid;
  for (size_t at = 0; at < text.size();) {
    const size_t length = sequence_length(text, at);
    length == 0 ? valid.append("\xEF\xBF\xBD") : valid.append(text, at, length);
    at += std::max<size_t>(length, 1);
  }
  return valid;
}

}  // namespace aaco
