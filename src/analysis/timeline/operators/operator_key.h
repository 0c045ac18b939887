// SPDX-License-Identifier: MIT
// What an operator is called and was called with, as its framework's profiler writes it.
#pragma once

#include <compare>
#include <utility>
#include <vector>

#include "record/events/event_table.h"

namespace aaco {

// Operators with equal keys do the same work.
struct OperatorKey {
  StringId name = kEmptyString;  // of a node of ONNX Runtime the operator's type
  StringId dims = kEmptyString;  // of the inputs; ONNX Runtime writes their types with them
  StringId types = kEmptyString;
  StringId strides = kEmptyString;
  StringId values = kEmptyString;
  StringId outputs = kEmptyString;   // of ONNX Runtime: shapes and types
  StringId provider = kEmptyString;  // that executed the node; of ONNX Runtime alone
  friend auto operator<=>(const OperatorKey&, const OperatorKey&) = default;
};

// Reads keys without comparing text.
class OperatorKeys {
 public:
  explicit OperatorKeys(const StringTable& strings);
  OperatorKey key(const EventTable& events, size_t op) const;
  StringId name_of(const EventTable& events, size_t op) const;
  StringId dims_of(const EventTable& events, size_t op) const;

 private:
  std::vector<std::pair<StringId, StringId OperatorKey::*>> arguments_;  // by the names of those that are in the trace
  StringId node_type_ = kEmptyString;                                    // that of the argument with a node's type
};

}  // namespace aaco
