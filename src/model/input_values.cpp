// SPDX-License-Identifier: MIT
#include "model/input_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

#include "model/float16.h"
#include "model/seeded_random.h"
#include "model/tensor_file.h"

namespace aaco {

namespace {

constexpr Bell kBell{0, 1};

// Of a finite value: the nearest, ties to even.
uint16_t to_bfloat16(double value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

template <class T>
void put(HostTensor& tensor, size_t i, T value) {
  std::memcpy(tensor.data.data() + i * sizeof(T), &value, sizeof(T));
}

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

bool contains(const std::string& text, const char* part) {
  std::string lower(text.size(), ' ');
  std::transform(text.begin(), text.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find(part) != std::string::npos;
}

// Of a boolean mask: true leaves a place out.
bool says_ignore(const std::string& name) {
  return contains(name, "padding_mask") || contains(name, "pad_mask") || contains(name, "ignore");
}

// Fills the tensor and says with what.
std::string fill(HostTensor& tensor, const InputRequest& request) {
  const auto count = static_cast<size_t>(*element_count(tensor.dims));
  SeededRandom random(request.seed, tensor.name);
  if (tensor.type == ElementType::kString) {
    for (size_t i = 0; i < count; ++i) {
      tensor.strings.push_back(std::to_string(i));
    }
    return "the texts 0, 1, 2, ...";
  }
  tensor.data.assign(static_cast<size_t>(*storage_bytes(tensor.type, tensor.dims)), 0);
  if (tensor.type == ElementType::kComplex64 || tensor.type == ElementType::kComplex128) {
    HostTensor parts = tensor;
    parts.type = tensor.type == ElementType::kComplex64 ? ElementType::kFloat : ElementType::kDouble;
    for (size_t i = 0; i < 2 * count; ++i) {
      put_float(parts, i, random.bell(kBell));
    }
    tensor.data = std::move(parts.data);
    return "bell-shaped, mean 0, deviation 1, in both parts";
  }
  const bool mask = contains(tensor.name, "mask");
  const bool flipped = request.flipped_masks.contains(tensor.name);
  const bool one = flipped == (tensor.type == ElementType::kBool && says_ignore(tensor.name));
  if (is_floating(tensor.type)) {
    for (size_t i = 0; i < count; ++i) {
      put_float(tensor, i, mask ? (one ? 1 : 0) : random.bell(kBell));
    }
    return mask ? (one ? "ones" : "zeros") : "bell-shaped, mean 0, deviation 1";
  }
  if (tensor.type == ElementType::kBool || mask) {
    for (size_t i = 0; i < count; ++i) {
      put_integer(tensor, i, one ? 1 : 0);
    }
    return one ? "ones" : "zeros";
  }
  const auto limit = request.index_limits.find(tensor.name);
  if (contains(tensor.name, "position") && !tensor.dims.empty() && tensor.dims.back() > 0) {
    for (size_t i = 0; i < count; ++i) {
      put_integer(tensor, i, static_cast<int64_t>(i) % tensor.dims.back());
    }
    return "0, 1, 2, ... along the last axis";
  }
  const int64_t below = limit == request.index_limits.end() || limit->second < 1 ? 2 : limit->second;
  for (size_t i = 0; i < count; ++i) {
    put_integer(tensor, i, static_cast<int64_t>(random.next() % static_cast<uint64_t>(below)));
  }
  return fmt::format("uniform integers from 0 to {}", below - 1);
}

}  // namespace

Result<MadeInputs> make_inputs(const std::vector<PortInfo>& ports, const InputRequest& request) {
  AACO_ASSIGN(const InputShapes shapes, resolve_shapes(ports, request));
  MadeInputs made;
  made.batch = shapes.batch;
  for (const PortInfo& port : ports) {
    HostTensor tensor;
    std::string values;
    if (const auto file = request.files.find(port.name); file != request.files.end()) {
      AACO_ASSIGN(tensor, read_tensor_file(file->second));
      values = file->second.string();
      if (tensor.type != port.type) {
        return Error{ErrorKind::kUsage,
                     fmt::format("{}: {} where input {} is {}", values, element_name(tensor.type), port.name,
                                 element_name(port.type)),
                     "convert the file"};
      }
    } else {
      tensor.type = port.type;
      tensor.dims = shapes.dims.at(port.name);
      tensor.name = port.name;
      const bool integer =
          !is_floating(port.type) && port.type != ElementType::kString && port.type != ElementType::kBool;
      if (integer && !request.integer_dtype.empty() && request.integer_dtype != element_name(port.type)) {
        return Error{ErrorKind::kUsage,
                     fmt::format("input {} is {} in the model and {} in the registry", port.name,
                                 element_name(port.type), request.integer_dtype),
                     "correct dtype in configs/models.yaml"};
      }
      values = fill(tensor, request);
    }
    tensor.name = port.name;
    made.notes.push_back({port.name, std::string(element_name(port.type)), tensor.dims, values});
    made.tensors.push_back(std::move(tensor));
  }
  return made;
}

}  // namespace aaco
