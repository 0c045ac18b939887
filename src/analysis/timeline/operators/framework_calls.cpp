// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/framework_calls.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/json/json.h"

namespace aaco {

namespace {

constexpr size_t kLongest = 1 << 20;  // of a list of arguments; nobody writes a longer one

Json array_of(std::string_view text) {
  if (text.empty() || text.size() > kLongest) {
    return Json::array();
  }
  Result<Json> json = parse_json(text, "arguments");
  return json && json->is_array() ? std::move(*json) : Json::array();
}

std::string text_at(const Json& list, size_t index) {
  return index < list.size() && list[index].is_string() ? list[index].get<std::string>() : std::string();
}

// Of a list of whole numbers.
std::optional<std::vector<int64_t>> numbers(const Json& list) {
  if (!list.is_array()) {
    return std::nullopt;
  }
  std::vector<int64_t> values;
  for (const Json& value : list) {
    if (!value.is_number_integer()) {
      return std::nullopt;
    }
    values.push_back(value.get<int64_t>());
  }
  return values;
}

bool is_value(std::string_view type) {
  return type == "Scalar" || type == "ScalarList" || type == "GenericList" || type == "Device";
}

TorchArgument argument_of(const Json& dims, const std::string& type) {
  using Kind = TorchArgument::Kind;
  TorchArgument argument;
  const bool of_lists = dims.is_array() && !dims.empty() && dims.front().is_array();
  if (type == "TensorList" || of_lists) {
    argument.kind = Kind::kTensorList;
    for (const Json& dim : dims) {
      const auto shape = numbers(dim);
      if (!shape) {
        argument.shapes.clear();
        break;
      }
      argument.shapes.push_back(*shape);
    }
    return argument;
  }
  const auto shape = numbers(dims);
  if (is_value(type)) {
    argument.kind = Kind::kValue;
  } else if (shape && (!type.empty() || !shape->empty())) {
    argument.kind = Kind::kTensor;
    argument.shapes = {*shape};
    argument.dtype = torch_dtype(type);
  }
  return argument;
}

std::optional<std::vector<OrtTensor>> ort_tensors(std::string_view text) {
  if (text.empty()) {
    return std::nullopt;
  }
  std::vector<OrtTensor> tensors;
  for (const Json& item : array_of(text)) {
    const auto dims = item.is_object() && item.size() == 1 ? numbers(item.front()) : std::nullopt;
    if (!dims) {
      return std::nullopt;
    }
    tensors.push_back({*dims, std::string(ort_dtype(item.begin().key()))});
  }
  return tensors;
}

}  // namespace

TorchCall torch_call(const StringTable& strings, const OperatorKey& key) {
  const Json dims = array_of(strings[key.dims]);
  const Json types = array_of(strings[key.types]);
  const Json strides = array_of(strings[key.strides]);
  const Json values = array_of(strings[key.values]);
  TorchCall call;
  call.name = strings[key.name];
  for (size_t i = 0; i < dims.size(); ++i) {
    TorchArgument argument = argument_of(dims[i], text_at(types, i));
    if (argument.kind == TorchArgument::Kind::kTensor && i < strides.size()) {
      argument.strides = numbers(strides[i]);
    }
    if (argument.kind != TorchArgument::Kind::kTensor && i < values.size() && values[i].is_string()) {
      argument.value = values[i].get<std::string>();
    }
    call.arguments.push_back(std::move(argument));
  }
  return call;
}

OrtNode ort_node(const StringTable& strings, const OperatorKey& key) {
  OrtNode node;
  node.op_type = strings[key.name];
  auto inputs = ort_tensors(strings[key.dims]);
  auto outputs = ort_tensors(strings[key.outputs]);
  node.recorded = inputs && outputs;
  if (node.recorded) {
    node.inputs = *std::move(inputs);
    node.outputs = *std::move(outputs);
  }
  return node;
}

}  // namespace aaco
