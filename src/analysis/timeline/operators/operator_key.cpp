// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/operator_key.h"

#include <string_view>

namespace aaco {

namespace {

constexpr std::string_view kNodeType = "op_name";
constexpr std::string_view kNodeSuffix = "_kernel_time";  // of the slices that are a node's execution

StringId text_of(const EventTable& events, size_t op, StringId argument) {
  const auto row = events.arguments.find(op, argument);
  const bool is_text = row && (row->type == ArgumentType::kJson || row->type == ArgumentType::kText);
  return is_text ? static_cast<StringId>(row->bits) : kEmptyString;
}

}  // namespace

OperatorKeys::OperatorKeys(const StringTable& strings) {
  static constexpr std::pair<std::string_view, StringId OperatorKey::*> kArguments[] = {
      {"Input Dims", &OperatorKey::dims},           {"Input dims", &OperatorKey::dims},  // of today, and of 2021
      {"Input type", &OperatorKey::types},          {"Input Strides", &OperatorKey::strides},
      {"Concrete Inputs", &OperatorKey::values},    {"input_type_shape", &OperatorKey::dims},
      {"output_type_shape", &OperatorKey::outputs}, {"provider", &OperatorKey::provider}};
  for (size_t id = 0; id < strings.size(); ++id) {
    const std::string_view text = strings[static_cast<StringId>(id)];
    for (const auto& [name, member] : kArguments) {
      if (text == name) {
        arguments_.emplace_back(static_cast<StringId>(id), member);
      }
    }
    if (text == kNodeType) {
      node_type_ = static_cast<StringId>(id);
    }
  }
}

OperatorKey OperatorKeys::key(const EventTable& events, size_t op) const {
  OperatorKey key;
  key.name = name_of(events, op);
  for (const auto& [argument, member] : arguments_) {
    if (const StringId text = text_of(events, op, argument); text != kEmptyString) {
      key.*member = text;
    }
  }
  return key;
}

StringId OperatorKeys::name_of(const EventTable& events, size_t op) const {
  if (node_type_ != kEmptyString && events.strings[events.name[op]].ends_with(kNodeSuffix)) {
    if (const StringId type = text_of(events, op, node_type_); type != kEmptyString) {
      return type;
    }
  }
  return events.name[op];
}

StringId OperatorKeys::dims_of(const EventTable& events, size_t op) const {
  StringId dims = kEmptyString;
  for (const auto& [argument, member] : arguments_) {
    if (dims == kEmptyString && member == &OperatorKey::dims) {
      dims = text_of(events, op, argument);
    }
  }
  return dims;
}

}  // namespace aaco
