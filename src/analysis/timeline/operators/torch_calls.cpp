// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/torch_calls.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/json.h"

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
    for (const Json& one : dims) {
      const auto shape = numbers(one);
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

}  // namespace

TorchCallKeys::TorchCallKeys(const StringTable& strings) {
  static constexpr std::pair<std::string_view, StringId TorchCallKey::*> kKeys[] = {
      {"Input Dims", &TorchCallKey::dims},
      {"Input dims", &TorchCallKey::dims},  // of today, and of 2021
      {"Input type", &TorchCallKey::types},
      {"Input Strides", &TorchCallKey::strides},
      {"Concrete Inputs", &TorchCallKey::values}};
  for (size_t id = 0; id < strings.size(); ++id) {
    for (const auto& [text, member] : kKeys) {
      if (strings[static_cast<StringId>(id)] == text) {
        keys_.emplace_back(static_cast<StringId>(id), member);
      }
    }
  }
}

TorchCallKey TorchCallKeys::of(const EventTable& events, size_t op) const {
  TorchCallKey key;
  key.name = events.name[op];
  for (const auto& [id, member] : keys_) {
    const auto found = events.arguments.find(op, id);
    if (found && (found->type == ArgumentType::kJson || found->type == ArgumentType::kText)) {
      key.*member = static_cast<StringId>(found->bits);
    }
  }
  return key;
}

TorchCall torch_call(const StringTable& strings, const TorchCallKey& key) {
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

const TorchWork& TorchWorks::of(const TorchCallKey& key) {
  const auto [found, added] = works_.try_emplace(key);
  if (added) {
    found->second = torch_work(torch_call(events_.strings, key));
  }
  return found->second;
}

}  // namespace aaco
