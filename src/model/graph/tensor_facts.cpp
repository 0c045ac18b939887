// SPDX-License-Identifier: MIT
#include "model/graph/tensor_facts.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "onnx.pb.h"

namespace aaco {
namespace {

// The elements of the typed field or of the raw bytes, whichever is there; none when they are not `count`.
template <class Raw, class Field, class Out>
std::shared_ptr<const std::vector<Out>> elements_of(const Field& field, const std::string& raw, size_t count) {
  std::vector<Out> values;
  if (!field.empty()) {
    for (const auto value : field) {
      values.push_back(static_cast<Out>(value));
    }
  } else {
    for (size_t at = 0; at + sizeof(Raw) <= raw.size(); at += sizeof(Raw)) {
      Raw value;
      std::memcpy(&value, raw.data() + at, sizeof value);
      values.push_back(static_cast<Out>(value));
    }
  }
  return values.size() == count ? std::make_shared<const std::vector<Out>>(std::move(values)) : nullptr;
}

}  // namespace

std::string dtype_name(int32_t onnx_type) {
  constexpr auto kLastRuntimeType = static_cast<int32_t>(ElementType::kInt2);
  if (onnx_type > 0 && onnx_type <= kLastRuntimeType) {
    return std::string(element_name(static_cast<ElementType>(onnx_type)));
  }
  // Types that models may name but the runtime takes as no input.
  constexpr std::array<const char*, 2> kNewer = {"float6e2m3", "float6e3m2"};
  const int32_t newer = onnx_type - kLastRuntimeType - 1;
  return newer >= 0 && newer < static_cast<int32_t>(kNewer.size()) ? kNewer[static_cast<size_t>(newer)] : "";
}

std::optional<Dims> sane_shape(Dims dims) {
  if (dims.size() > kMaxRank) {
    return std::nullopt;
  }
  for (int64_t& dim : dims) {
    dim = dim < 0 || dim > kMaxDim ? -1 : dim;
  }
  return dims;
}

std::optional<Dims> unknown_of_rank(int64_t rank) {
  return rank < 0 || rank > static_cast<int64_t>(kMaxRank) ? std::nullopt
                                                           : std::optional(Dims(static_cast<size_t>(rank), -1));
}

TensorFacts facts_of(const onnx::TensorProto& tensor) {
  TensorFacts facts;
  facts.dtype = dtype_name(tensor.data_type());
  facts.shape = sane_shape({tensor.dims().begin(), tensor.dims().end()});
  const auto count = facts.shape ? element_count(*facts.shape) : std::nullopt;
  if (!count || *count > static_cast<int64_t>(kMaxValues)) {
    return facts;
  }
  const auto size = static_cast<size_t>(*count);
  const std::string& raw = tensor.raw_data();
  if (tensor.data_type() == onnx::TensorProto::INT64) {
    facts.values = elements_of<int64_t, decltype(tensor.int64_data()), int64_t>(tensor.int64_data(), raw, size);
  } else if (tensor.data_type() == onnx::TensorProto::INT32) {
    facts.values = elements_of<int32_t, decltype(tensor.int32_data()), int64_t>(tensor.int32_data(), raw, size);
  } else if (tensor.data_type() == onnx::TensorProto::BOOL) {
    facts.values = elements_of<uint8_t, decltype(tensor.int32_data()), int64_t>(tensor.int32_data(), raw, size);
  } else if (tensor.data_type() == onnx::TensorProto::FLOAT) {
    facts.reals = elements_of<float, decltype(tensor.float_data()), double>(tensor.float_data(), raw, size);
  }
  return facts;
}

std::optional<size_t> axis_position(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    return std::nullopt;
  }
  return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

std::optional<Dims> broadcast(std::span<const std::optional<Dims>> shapes) {
  Dims result;
  for (const std::optional<Dims>& shape : shapes) {
    if (!shape) {
      return std::nullopt;
    }
    if (shape->size() > result.size()) {
      result.insert(result.begin(), shape->size() - result.size(), 1);
    }
    const size_t offset = result.size() - shape->size();
    for (size_t i = 0; i < shape->size(); ++i) {
      int64_t& dim = result[offset + i];
      const int64_t other = (*shape)[i];
      if (dim == 1 || (dim < 0 && other > 1)) {
        dim = other;
      } else if (dim >= 0 && other >= 0 && other != 1 && other != dim) {
        return std::nullopt;
      }
    }
  }
  return result;
}

std::string shape_text(const std::optional<Dims>& shape) {
  if (!shape) {
    return "?";
  }
  std::string text = "[";
  for (const int64_t dim : *shape) {
    text += text.size() > 1 ? "," : "";
    text += dim < 0 ? "?" : std::to_string(dim);
  }
  return text + "]";
}

}  // namespace aaco
