// SPDX-License-Identifier: MIT
#include "model/element_values.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/float16.h"

namespace aaco {

namespace {

// Of a finite value: the nearest, ties to even.
uint16_t to_bfloat16(double value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

template <class T>
void put(HostTensor& tensor, size_t i, T value) {
  std::memcpy(tensor.data.data() + i * sizeof(T), &value, sizeof(T));
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(comma + 1);
  }
}

template <class T>
std::optional<T> number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                     : std::nullopt;
}

// False where `text` is no such element.
bool put_text(HostTensor& tensor, size_t i, std::string_view text) {
  if (text == "true" || text == "false") {
    text = text == "true" ? "1" : "0";
  }
  if (is_floating(tensor.type)) {
    const auto value = number<double>(text);
    if (value) {
      put_float(tensor, i, *value);
    }
    return value.has_value();
  }
  if (tensor.type == ElementType::kUint64) {
    const auto value = number<uint64_t>(text);
    put_integer(tensor, i, std::bit_cast<int64_t>(value.value_or(0)));
    return value.has_value();
  }
  const auto value = number<int64_t>(text);
  put_integer(tensor, i, value.value_or(0));
  return value && *value >= least_of(tensor.type) && *value <= greatest_of(tensor.type);
}

}  // namespace

void put_integer(HostTensor& tensor, size_t i, int64_t value) {
  switch (element_bits(tensor.type)) {
    case 64:
      return put(tensor, i, value);
    case 32:
      return put(tensor, i, static_cast<int32_t>(value));
    case 16:
      return put(tensor, i, static_cast<int16_t>(value));
    case 8:
      return put(tensor, i, static_cast<int8_t>(value));
    default: {  // several a byte, the first in the low end
      const auto bits = static_cast<size_t>(element_bits(tensor.type));
      const auto code = static_cast<uint64_t>(value) & ((uint64_t{1} << bits) - 1);
      uint8_t& byte = tensor.data[i * bits / 8];
      byte = static_cast<uint8_t>(byte | code << (i * bits % 8));
    }
  }
}

void put_float(HostTensor& tensor, size_t i, double value) {
  switch (tensor.type) {
    case ElementType::kDouble:
      return put(tensor, i, value);
    case ElementType::kFloat:
      return put(tensor, i, static_cast<float>(value));
    case ElementType::kFloat16:
      return put(tensor, i, float16_bits(static_cast<float>(value)));
    case ElementType::kBfloat16:
      return put(tensor, i, to_bfloat16(value));
    case ElementType::kFloat4e2m1:  // 0.5, 1, 1.5, 2
      return put_integer(tensor, i, 1 + static_cast<int64_t>(std::abs(value)) % 4);
    default:  // float8 of any kind: the codes 0x30 to 0x3F are small positive numbers in each
      return put(tensor, i, static_cast<uint8_t>(0x30 | (static_cast<uint8_t>(std::abs(value) * 8) & 0x0F)));
  }
}

int64_t least_of(ElementType type) {
  switch (type) {
    case ElementType::kInt2:
      return -2;
    case ElementType::kInt4:
      return -8;
    case ElementType::kInt8:
      return INT8_MIN;
    case ElementType::kInt16:
      return INT16_MIN;
    case ElementType::kInt32:
      return INT32_MIN;
    case ElementType::kInt64:
      return INT64_MIN;
    default:
      return is_floating(type) ? INT64_MIN : 0;
  }
}

int64_t greatest_of(ElementType type) {
  if (type == ElementType::kBool) {
    return 1;
  }
  const int bits = element_bits(type);
  if (is_floating(type) || bits >= 64 || bits <= 0) {
    return INT64_MAX;
  }
  return (int64_t{1} << (least_of(type) < 0 ? bits - 1 : bits)) - 1;
}

bool is_tensor_file_name(std::string_view text) { return text.ends_with(".npy") || text.ends_with(".pb"); }

int64_t values_in_text(std::string_view text) { return static_cast<int64_t>(parts_of(text).size()); }

Result<HostTensor> tensor_of_text(const std::string& input, std::string_view text, ElementType type,
                                  const std::vector<int64_t>& dims) {
  HostTensor tensor;
  tensor.name = input;
  tensor.type = type;
  tensor.dims = dims;
  const std::vector<std::string_view> parts = parts_of(text);
  const auto count = static_cast<size_t>(element_count(dims).value_or(0));
  const std::string flag = fmt::format("--input {}={}", input, text.size() > 80 ? text.substr(0, 80) : text);
  if (parts.size() != 1 && parts.size() != count) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: {} values where [{}] takes {}", flag, parts.size(), fmt::join(dims, ","), count),
                 "give one for each element, or one for all"};
  }
  if (type == ElementType::kString) {
    for (size_t i = 0; i < count; ++i) {
      tensor.strings.emplace_back(parts[parts.size() == 1 ? 0 : i]);
    }
    return tensor;
  }
  tensor.data.assign(static_cast<size_t>(storage_bytes(type, dims).value_or(0)), 0);
  if (type == ElementType::kComplex64 || type == ElementType::kComplex128) {
    return Error{ErrorKind::kUsage, fmt::format("{}: the input is {}", flag, element_name(type)),
                 "give complex values as a .npy of numpy.save"};
  }
  for (size_t i = 0; i < count; ++i) {
    const std::string_view part = parts[parts.size() == 1 ? 0 : i];
    if (!put_text(tensor, i, part)) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{}: '{}' is no {} and no file .npy or .pb", flag, part, element_name(type)),
                   "write values as 50 or 1,2,3, or name the file"};
    }
  }
  return tensor;
}

}  // namespace aaco
