// SPDX-License-Identifier: MIT
#include "model/tensor.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace aaco {

namespace {

struct ElementInfo {
  ElementType type;
  const char* name;
  int bits;
  int exponent_bits;  // 0 for integers
  int mantissa_bits;
};

// The table of ONNX element types; floating formats by their field widths.
constexpr std::array<ElementInfo, 22> kElements{{
    {ElementType::kFloat, "float32", 32, 8, 23},
    {ElementType::kUint8, "uint8", 8, 0, 0},
    {ElementType::kInt8, "int8", 8, 0, 0},
    {ElementType::kUint16, "uint16", 16, 0, 0},
    {ElementType::kInt16, "int16", 16, 0, 0},
    {ElementType::kInt32, "int32", 32, 0, 0},
    {ElementType::kInt64, "int64", 64, 0, 0},
    {ElementType::kString, "string", 0, 0, 0},
    {ElementType::kBool, "bool", 8, 0, 0},
    {ElementType::kFloat16, "float16", 16, 5, 10},
    {ElementType::kDouble, "float64", 64, 11, 52},
    {ElementType::kUint32, "uint32", 32, 0, 0},
    {ElementType::kUint64, "uint64", 64, 0, 0},
    {ElementType::kComplex64, "complex64", 64, 0, 0},
    {ElementType::kComplex128, "complex128", 128, 0, 0},
    {ElementType::kBfloat16, "bfloat16", 16, 8, 7},
    {ElementType::kFloat8e4m3fn, "float8e4m3fn", 8, 0, 0},
    {ElementType::kFloat8e4m3fnuz, "float8e4m3fnuz", 8, 0, 0},
    {ElementType::kFloat8e5m2, "float8e5m2", 8, 5, 2},
    {ElementType::kFloat8e5m2fnuz, "float8e5m2fnuz", 8, 0, 0},
    {ElementType::kUint4, "uint4", 4, 0, 0},
    {ElementType::kInt4, "int4", 4, 0, 0},
}};

const ElementInfo* info_of(ElementType type) {
  const auto index = static_cast<size_t>(type) - 1;
  return index < kElements.size() ? &kElements[index] : nullptr;
}

template <class T>
T load(const HostTensor& tensor, int64_t i) {
  T value{};
  std::memcpy(&value, tensor.data.data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

// A 16-bit float whose exponent and mantissa have the given widths.
double small_float(uint32_t bits, int exponent_bits, int mantissa_bits) {
  const uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const uint32_t exponent = (bits >> mantissa_bits) & ((1u << exponent_bits) - 1);
  const bool negative = ((bits >> (mantissa_bits + exponent_bits)) & 1) != 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  double value = 0;
  if (exponent == (1u << exponent_bits) - 1) {
    value = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - bias - mantissa_bits);
  } else {
    value = std::ldexp(mantissa + (1u << mantissa_bits), static_cast<int>(exponent) - bias - mantissa_bits);
  }
  return negative ? -value : value;
}

// NaN and infinity are the all-ones exponent of the IEEE-like formats; the fn/fnuz formats have only NaN codes.
bool code_is_finite(ElementType type, uint64_t bits) {
  switch (type) {
    case ElementType::kFloat8e4m3fn:
      return (bits & 0x7F) != 0x7F;
    case ElementType::kFloat8e4m3fnuz:
    case ElementType::kFloat8e5m2fnuz:
      return bits != 0x80;
    default: {
      const ElementInfo& info = *info_of(type);
      const uint64_t mask = ((uint64_t{1} << info.exponent_bits) - 1) << info.mantissa_bits;
      return (bits & mask) != mask;
    }
  }
}

}  // namespace

std::string_view element_name(ElementType type) {
  const ElementInfo* info = info_of(type);
  return info == nullptr ? "undefined" : info->name;
}

std::optional<ElementType> element_of_name(std::string_view name) {
  for (const ElementInfo& info : kElements) {
    if (name == info.name) {
      return info.type;
    }
  }
  return std::nullopt;
}

int element_bits(ElementType type) {
  const ElementInfo* info = info_of(type);
  return info == nullptr ? 0 : info->bits;
}

bool is_floating(ElementType type) {
  const ElementInfo* info = info_of(type);
  return info != nullptr && (info->exponent_bits > 0 || std::string_view(info->name).starts_with("float8"));
}

std::optional<int64_t> element_count(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) {
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) {
      return std::nullopt;
    }
  }
  return count;
}

std::optional<int64_t> storage_bytes(ElementType type, const std::vector<int64_t>& dims) {
  const auto count = element_count(dims);
  int64_t bits = 0;
  if (!count || __builtin_mul_overflow(*count, int64_t{element_bits(type)}, &bits) || bits > INT64_MAX - 7) {
    return std::nullopt;
  }
  return (bits + 7) / 8;
}

std::optional<double> element_as_double(const HostTensor& tensor, int64_t i) {
  switch (tensor.type) {
    case ElementType::kFloat:
      return load<float>(tensor, i);
    case ElementType::kDouble:
      return load<double>(tensor, i);
    case ElementType::kFloat16:
    case ElementType::kBfloat16: {
      const ElementInfo& info = *info_of(tensor.type);
      return small_float(load<uint16_t>(tensor, i), info.exponent_bits, info.mantissa_bits);
    }
    case ElementType::kUint8:
    case ElementType::kBool:
      return load<uint8_t>(tensor, i);
    case ElementType::kInt8:
      return load<int8_t>(tensor, i);
    case ElementType::kUint16:
      return load<uint16_t>(tensor, i);
    case ElementType::kInt16:
      return load<int16_t>(tensor, i);
    case ElementType::kInt32:
      return load<int32_t>(tensor, i);
    case ElementType::kUint32:
      return load<uint32_t>(tensor, i);
    case ElementType::kInt64:
      return static_cast<double>(load<int64_t>(tensor, i));
    case ElementType::kUint64:
      return static_cast<double>(load<uint64_t>(tensor, i));
    default:
      return std::nullopt;
  }
}

bool all_finite(const HostTensor& tensor) {
  if (!is_floating(tensor.type)) {
    return true;
  }
  const size_t bytes = static_cast<size_t>(element_bits(tensor.type)) / 8;
  for (size_t at = 0; at + bytes <= tensor.data.size(); at += bytes) {
    uint64_t bits = 0;
    std::memcpy(&bits, tensor.data.data() + at, bytes);
    if (!code_is_finite(tensor.type, bits)) {
      return false;
    }
  }
  return true;
}

}  // namespace aaco
