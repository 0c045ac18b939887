// SPDX-License-Identifier: MIT
#include "model/tensor_file.h"

#include <array>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <onnx.pb.h>

#include "base/files/file.h"

namespace aaco {

namespace {

Error bad(const std::string& source, const std::string& what) {
  return {ErrorKind::kUsage, fmt::format("{}: {}", source, what), "give a .npy of numpy.save or a TensorProto .pb"};
}

// Type codes of NumPy's array interface; ml_dtypes saves bfloat16 and float8 as raw void.
const std::map<std::string, ElementType, std::less<>> kNumpyTypes{
    {"f4", ElementType::kFloat},     {"f8", ElementType::kDouble},     {"f2", ElementType::kFloat16},
    {"i1", ElementType::kInt8},      {"i2", ElementType::kInt16},      {"i4", ElementType::kInt32},
    {"i8", ElementType::kInt64},     {"u1", ElementType::kUint8},      {"u2", ElementType::kUint16},
    {"u4", ElementType::kUint32},    {"u8", ElementType::kUint64},     {"b1", ElementType::kBool},
    {"c8", ElementType::kComplex64}, {"c16", ElementType::kComplex128}};

// The value of 'key' in the header's Python dictionary, up to the comma that ends it.
std::optional<std::string_view> header_value(std::string_view header, std::string_view key) {
  const size_t at = header.find(key);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view rest = header.substr(at + key.size());
  const size_t start = rest.find_first_not_of(" :");
  return start == std::string_view::npos ? std::nullopt : std::optional(rest.substr(start));
}

std::optional<std::vector<int64_t>> parse_shape(std::string_view text) {
  const size_t close = text.find(')');
  if (text.empty() || text[0] != '(' || close == std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<int64_t> dims;
  std::string_view inside = text.substr(1, close - 1);
  while (true) {
    const size_t digit = inside.find_first_of("0123456789");
    if (digit == std::string_view::npos) {
      return inside.find_first_not_of(" ,L") == std::string_view::npos ? std::optional(dims) : std::nullopt;
    }
    if (inside.substr(0, digit).find_first_not_of(" ,L") != std::string_view::npos) {
      return std::nullopt;
    }
    int64_t value = 0;
    const auto [end, problem] = std::from_chars(inside.data() + digit, inside.data() + inside.size(), value);
    if (problem != std::errc()) {
      return std::nullopt;
    }
    dims.push_back(value);
    inside.remove_prefix(static_cast<size_t>(end - inside.data()));
  }
}

void append_utf8(std::string& text, uint32_t code) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

// NumPy's texts of fixed length ("U4": four characters of UTF-32, "S4": four bytes), filled up with zeros.
std::optional<std::vector<std::string>> numpy_texts(std::string_view code, std::string_view data, int64_t count) {
  uint32_t length = 0;
  const auto [end, problem] = std::from_chars(code.data() + 1, code.data() + code.size(), length);
  const uint64_t width = uint64_t{length} * (code[0] == 'U' ? 4 : 1);
  uint64_t needed = 0;
  if (problem != std::errc() || end != code.data() + code.size() || count < 0 || (width == 0 && count > 0) ||
      __builtin_mul_overflow(static_cast<uint64_t>(count), width, &needed) || needed != data.size()) {
    return std::nullopt;
  }
  std::vector<std::string> texts(static_cast<size_t>(count));
  for (std::string& text : texts) {
    const std::string_view element = data.substr(0, width);
    data.remove_prefix(width);
    if (code[0] == 'S') {
      text = element;
      text.resize(text.find_last_not_of('\0') + 1);
      continue;
    }
    for (size_t at = 0; at < width; at += 4) {
      uint32_t character = 0;
      std::memcpy(&character, element.data() + at, sizeof character);
      if (character > 0x10FFFF) {
        return std::nullopt;
      }
      append_utf8(text, character);
    }
    text.resize(text.find_last_not_of('\0') + 1);
  }
  return texts;
}

template <class Target, class Source>
void append_as(std::vector<uint8_t>& data, const Source& values) {
  for (const auto value : values) {
    const auto converted = static_cast<Target>(value);
    std::array<uint8_t, sizeof(Target)> bytes;
    std::memcpy(bytes.data(), &converted, sizeof converted);
    data.insert(data.end(), bytes.begin(), bytes.end());
  }
}

// TensorProto keeps small types widened in int32_data; which field holds what is fixed by onnx.proto.
void unpack_typed_fields(const onnx::TensorProto& proto, HostTensor& tensor) {
  switch (tensor.type) {
    case ElementType::kFloat:
    case ElementType::kComplex64:
      append_as<float>(tensor.data, proto.float_data());
      break;
    case ElementType::kDouble:
    case ElementType::kComplex128:
      append_as<double>(tensor.data, proto.double_data());
      break;
    case ElementType::kInt64:
      append_as<int64_t>(tensor.data, proto.int64_data());
      break;
    case ElementType::kUint64:
      append_as<uint64_t>(tensor.data, proto.uint64_data());
      break;
    case ElementType::kUint32:
      append_as<uint32_t>(tensor.data, proto.uint64_data());
      break;
    case ElementType::kInt32:
      append_as<int32_t>(tensor.data, proto.int32_data());
      break;
    default:
      if (element_bits(tensor.type) == 16) {
        append_as<uint16_t>(tensor.data, proto.int32_data());
      } else {
        append_as<uint8_t>(tensor.data, proto.int32_data());
      }
  }
}

}  // namespace

Result<HostTensor> parse_npy(std::string_view bytes, const std::string& source) {
  if (bytes.size() < 10 || bytes.substr(0, 6) != "\x93NUMPY") {
    return bad(source, "not a NumPy file");
  }
  const bool wide = bytes[6] >= 2;
  const size_t header_at = wide ? 12 : 10;
  if (bytes.size() < header_at) {
    return bad(source, "truncated header");
  }
  uint32_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data() + 8, wide ? 4 : 2);
  if (bytes.size() - header_at < header_bytes) {
    return bad(source, "truncated header");
  }
  const std::string_view header = bytes.substr(header_at, header_bytes);
  const auto descr = header_value(header, "'descr'");
  const auto order = header_value(header, "'fortran_order'");
  const auto shape_text = header_value(header, "'shape'");
  const auto shape = shape_text ? parse_shape(*shape_text) : std::nullopt;
  if (!descr || !order || !shape || descr->size() < 4) {
    return bad(source, "the NumPy header is damaged");
  }
  if (!order->starts_with("False")) {
    return bad(source, "the array is in Fortran order: save numpy.ascontiguousarray(x)");
  }
  const std::string_view code = descr->substr(2, descr->find_first_of("'\"", 1) - 2);
  if (!code.empty() && (code[0] == 'U' || code[0] == 'S') && (*descr)[1] != '>') {
    HostTensor tensor;
    tensor.type = ElementType::kString;
    tensor.dims = *shape;
    const auto count = element_count(tensor.dims);
    auto texts = count ? numpy_texts(code, bytes.substr(header_at + header_bytes), *count) : std::nullopt;
    if (!texts) {
      return bad(source, "its data does not fit its shape, or holds no text");
    }
    tensor.strings = std::move(*texts);
    return tensor;
  }
  const auto type = kNumpyTypes.find(code);
  if (type == kNumpyTypes.end() || (*descr)[1] == '>') {
    return bad(source, fmt::format("NumPy type '{}' is not one that a model takes", descr->substr(1, code.size() + 1)));
  }
  HostTensor tensor;
  tensor.type = type->second;
  tensor.dims = *shape;
  const auto needed = storage_bytes(tensor.type, tensor.dims);
  const std::string_view data = bytes.substr(header_at + header_bytes);
  if (!needed || static_cast<size_t>(*needed) != data.size()) {
    return bad(source, fmt::format("{} bytes of data where the shape needs {}", data.size(), needed.value_or(-1)));
  }
  tensor.data.assign(data.begin(), data.end());
  return tensor;
}

Result<HostTensor> parse_tensor_proto(std::string_view bytes, const std::string& source) {
  onnx::TensorProto proto;
  if (bytes.size() > INT32_MAX || !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return bad(source, "not an ONNX TensorProto");
  }
  HostTensor tensor;
  tensor.name = proto.name();
  tensor.type = static_cast<ElementType>(proto.data_type());
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  const auto count = element_count(tensor.dims);
  const auto needed = storage_bytes(tensor.type, tensor.dims);
  if (element_name(tensor.type) == "undefined" || !count || !needed) {
    return bad(source, "the TensorProto has no usable type or shape");
  }
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    return bad(source, "the tensor's data lies in another file");
  }
  if (tensor.type == ElementType::kString) {
    tensor.strings.assign(proto.string_data().begin(), proto.string_data().end());
    if (static_cast<int64_t>(tensor.strings.size()) != *count) {
      return bad(source, "the number of strings does not match the shape");
    }
    return tensor;
  }
  if (!proto.raw_data().empty()) {
    tensor.data.assign(proto.raw_data().begin(), proto.raw_data().end());
  } else {
    unpack_typed_fields(proto, tensor);
  }
  if (static_cast<int64_t>(tensor.data.size()) != *needed) {
    return bad(source, fmt::format("{} bytes of data where the shape needs {}", tensor.data.size(), *needed));
  }
  return tensor;
}

Result<HostTensor> read_tensor_file(const std::filesystem::path& path) {
  AACO_ASSIGN(const std::string bytes, read_file(path));
  if (path.extension() == ".npy") {
    return parse_npy(bytes, path.string());
  }
  if (path.extension() == ".pb") {
    return parse_tensor_proto(bytes, path.string());
  }
  return bad(path.string(), "neither .npy nor .pb");
}

}  // namespace aaco
