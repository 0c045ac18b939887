// SPDX-License-Identifier: MIT
// A tensor in host memory, typed as ONNX types it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aaco {

// Values are those of onnx.TensorProto.DataType.
enum class ElementType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBfloat16 = 16,
  kFloat8e4m3fn = 17,
  kFloat8e4m3fnuz = 18,
  kFloat8e5m2 = 19,
  kFloat8e5m2fnuz = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4e2m1 = 23,
  kFloat8e8m0 = 24,
  kUint2 = 25,
  kInt2 = 26,
};

// "float32", "int64", "string", ...; "undefined" for kUndefined.
std::string_view element_name(ElementType type);
std::optional<ElementType> element_of_name(std::string_view name);
// Bits of one element; 0 for strings.
int element_bits(ElementType type);
bool is_floating(ElementType type);

// Product of the dimensions; none when one is negative or the product does not fit.
std::optional<int64_t> element_count(const std::vector<int64_t>& dims);

struct HostTensor {
  std::string name;
  ElementType type = ElementType::kUndefined;
  std::vector<int64_t> dims;
  std::vector<uint8_t> data;         // packed little-endian; empty for strings
  std::vector<std::string> strings;  // for kString
};

// Storage of `dims` elements: none when it does not fit an int64.
std::optional<int64_t> storage_bytes(ElementType type, const std::vector<int64_t>& dims);

// Element i as a double (strings and complex: none).
std::optional<double> element_as_double(const HostTensor& tensor, int64_t i);

// True when no floating element is NaN or infinite, nor a part of a complex one; integer and string tensors are finite.
bool all_finite(const HostTensor& tensor);

// Elements of `tensor` that are not as `expected`, which has its type and dimensions: numbers further away than
// `tolerance` * (1 + |expected|), strings and complex numbers that are not the same. NaN is as NaN.
int64_t count_differences(const HostTensor& tensor, const HostTensor& expected, double tolerance);

// What a model expects at an input or gives at an output.
struct PortInfo {
  std::string name;
  bool is_tensor = true;  // false: a sequence, map, optional or sparse tensor
  ElementType type = ElementType::kUndefined;
  std::vector<int64_t> dims;           // -1 where symbolic
  std::vector<std::string> dim_names;  // "" where fixed or anonymous
  bool rank_known = true;              // false: no shape is declared, and `dims` is empty; the runtime does not tell
};

}  // namespace aaco
