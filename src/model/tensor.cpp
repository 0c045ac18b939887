// SPDX-License-Identifier: MIT
#include "model/tensor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace aaco {

namespace {

// Which codes are no numbers.
enum class Special {
  kNone,       // every code is a number
  kIeee,       // an exponent of ones: infinities and NaN
  kAllOnes,    // exponent and mantissa of ones: NaN
  kMinusZero,  // the code of minus zero: NaN
};

struct ElementInfo {
  ElementType type;
  const char* name;
  int bits;
  // Of floating formats; no exponent: an integer, a string or a complex number.
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  Special special = Special::kNone;
};

// The table of ONNX element types, in the order of their numbers.
constexpr std::array<ElementInfo, 26> kElements{{
    {ElementType::kFloat, "float32", 32, 8, 23, 127, Special::kIeee},
    {ElementType::kUint8, "uint8", 8},
    {ElementType::kInt8, "int8", 8},
    {ElementType::kUint16, "uint16", 16},
    {ElementType::kInt16, "int16", 16},
    {ElementType::kInt32, "int32", 32},
    {ElementType::kInt64, "int64", 64},
    {ElementType::kString, "string", 0},
    {ElementType::kBool, "bool", 8},
    {ElementType::kFloat16, "float16", 16, 5, 10, 15, Special::kIeee},
    {ElementType::kDouble, "float64", 64, 11, 52, 1023, Special::kIeee},
    {ElementType::kUint32, "uint32", 32},
    {ElementType::kUint64, "uint64", 64},
    {ElementType::kComplex64, "complex64", 64},
    {ElementType::kComplex128, "complex128", 128},
    {ElementType::kBfloat16, "bfloat16", 16, 8, 7, 127, Special::kIeee},
    {ElementType::kFloat8e4m3fn, "float8e4m3fn", 8, 4, 3, 7, Special::kAllOnes},
    {ElementType::kFloat8e4m3fnuz, "float8e4m3fnuz", 8, 4, 3, 8, Special::kMinusZero},
    {ElementType::kFloat8e5m2, "float8e5m2", 8, 5, 2, 15, Special::kIeee},
    {ElementType::kFloat8e5m2fnuz, "float8e5m2fnuz", 8, 5, 2, 16, Special::kMinusZero},
    {ElementType::kUint4, "uint4", 4},
    {ElementType::kInt4, "int4", 4},
    {ElementType::kFloat4e2m1, "float4e2m1", 4, 2, 1, 1, Special::kNone},
    {ElementType::kFloat8e8m0, "float8e8m0", 8, 8, 0, 127, Special::kAllOnes},
    {ElementType::kUint2, "uint2", 2},
    {ElementType::kInt2, "int2", 2},
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

// The bits of element i of a type of at most 64 bits; smaller ones than a byte fill it from its low end.
uint64_t code_of(const HostTensor& tensor, int64_t i) {
  const auto bits = static_cast<size_t>(element_bits(tensor.type));
  const size_t first = static_cast<size_t>(i) * bits;
  uint64_t code = 0;
  std::memcpy(&code, tensor.data.data() + first / 8, std::max<size_t>(bits / 8, 1));
  return bits < 8 ? code >> first % 8 & ((uint64_t{1} << bits) - 1) : code;
}

bool is_number(const ElementInfo& info, uint64_t code) {
  const int magnitude_bits = info.exponent_bits + info.mantissa_bits;
  const uint64_t magnitude = code & ((uint64_t{1} << magnitude_bits) - 1);
  const uint64_t ones = ((uint64_t{1} << info.exponent_bits) - 1) << info.mantissa_bits;
  switch (info.special) {
    case Special::kNone:
      return true;
    case Special::kIeee:
      return (code & ones) != ones;
    case Special::kAllOnes:
      return magnitude != (uint64_t{1} << magnitude_bits) - 1;
    case Special::kMinusZero:
      return code != uint64_t{1} << magnitude_bits;
  }
  return false;
}

// A floating format without a C++ type of its own.
double small_float(const ElementInfo& info, uint64_t code) {
  const uint64_t mantissa = code & ((uint64_t{1} << info.mantissa_bits) - 1);
  const uint64_t exponent = code >> info.mantissa_bits & ((uint64_t{1} << info.exponent_bits) - 1);
  const bool negative = (code >> (info.mantissa_bits + info.exponent_bits) & 1) != 0;
  double value = 0;
  if (!is_number(info, code)) {
    value = info.special == Special::kIeee && mantissa == 0 ? INFINITY : NAN;
  } else if (exponent == 0 && info.mantissa_bits > 0) {
    value = std::ldexp(static_cast<double>(mantissa), 1 - info.bias - info.mantissa_bits);
  } else {
    value = std::ldexp(static_cast<double>(mantissa + (uint64_t{1} << info.mantissa_bits)),
                       static_cast<int>(exponent) - info.bias - info.mantissa_bits);
  }
  return negative ? -value : value;
}

ElementType part_of_complex(ElementType type) {
  return type == ElementType::kComplex64    ? ElementType::kFloat
         : type == ElementType::kComplex128 ? ElementType::kDouble
                                            : type;
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
  return info != nullptr && info->exponent_bits > 0;
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
  const ElementInfo* info = info_of(tensor.type);
  switch (tensor.type) {
    case ElementType::kUndefined:
    case ElementType::kString:
    case ElementType::kComplex64:
    case ElementType::kComplex128:
      return std::nullopt;
    case ElementType::kFloat:
      return load<float>(tensor, i);
    case ElementType::kDouble:
      return load<double>(tensor, i);
    case ElementType::kInt8:
      return load<int8_t>(tensor, i);
    case ElementType::kInt16:
      return load<int16_t>(tensor, i);
    case ElementType::kInt32:
      return load<int32_t>(tensor, i);
    case ElementType::kInt64:
      return static_cast<double>(load<int64_t>(tensor, i));
    case ElementType::kInt4:
    case ElementType::kInt2: {
      const auto code = static_cast<int64_t>(code_of(tensor, i));
      return static_cast<double>(code >> (info->bits - 1) != 0 ? code - (int64_t{1} << info->bits) : code);
    }
    default:
      return info->exponent_bits > 0 ? small_float(*info, code_of(tensor, i)) : static_cast<double>(code_of(tensor, i));
  }
}

bool all_finite(const HostTensor& tensor) {
  HostTensor parts;
  const ElementType part = part_of_complex(tensor.type);
  if (part != tensor.type) {
    parts.type = part;
    parts.data = tensor.data;
    return all_finite(parts);
  }
  if (!is_floating(tensor.type)) {
    return true;
  }
  const ElementInfo& info = *info_of(tensor.type);
  const auto elements = static_cast<int64_t>(tensor.data.size()) * 8 / info.bits;
  for (int64_t i = 0; i < elements; ++i) {
    if (!is_number(info, code_of(tensor, i))) {
      return false;
    }
  }
  return true;
}

int64_t count_differences(const HostTensor& tensor, const HostTensor& expected, double tolerance) {
  const auto element_bytes = static_cast<size_t>(element_bits(tensor.type)) / 8;
  int64_t different = 0;
  for (int64_t i = 0; i < element_count(tensor.dims).value_or(0); ++i) {
    const auto at = static_cast<size_t>(i);
    const auto value = element_as_double(tensor, i);
    const auto wanted = element_as_double(expected, i);
    bool same = false;
    if (value && wanted) {
      // Infinities have no distance.
      same = *value == *wanted || (std::isnan(*value) && std::isnan(*wanted)) ||
             (std::isfinite(*wanted) && std::abs(*value - *wanted) <= tolerance * (1 + std::abs(*wanted)));
    } else if (tensor.type == ElementType::kString) {
      same = tensor.strings[at] == expected.strings[at];
    } else {
      same = std::memcmp(&tensor.data[at * element_bytes], &expected.data[at * element_bytes], element_bytes) == 0;
    }
    different += same ? 0 : 1;
  }
  return different;
}

}  // namespace aaco
