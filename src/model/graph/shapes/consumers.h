// SPDX-License-Identifier: MIT
// The table of operators whose operands are indices, lengths or sizes, with what each such operand must be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace aaco {

class NodeView;

enum class ValueRole {
  kIndex,   // `sizes`: of what is indexed; several: one for each place on the operand's last axis
  kLength,  // `sizes`: the one value that means "all of it"
  kSize,    // `sizes`: values that work, as an example; empty where none is known
  kChoice,  // 0 is always a valid choice
};

struct Consumer {
  std::string_view domain;  // "" for ONNX's own
  std::string_view op_type;
  int input;  // -1: every one
  ValueRole role;
  const char* what;                                // "the repeats" (of Tile t)
  std::vector<int64_t> (*sizes)(const NodeView&);  // a size that is not known is -1
  int data = -1;                                   // the operand that is indexed
};

// Null where the operand's values are mere numbers, or the operator is not known.
const Consumer* consumer_of(const NodeView& node, size_t input);

}  // namespace aaco
