// SPDX-License-Identifier: MIT
// ONNX Runtime records a node without a name as operator and number (MatMul_3), and the number is in no file.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "record/recording.h"

namespace aaco {

// By recorded name and operator.
using NamelessNodes = std::map<std::pair<std::string, std::string>, const GraphNodeRow*>;

// Nodes of the optimized graph without a name, where the recording tells which they are: the only one of its operator;
// or all of an operator lie on one path of tensors, so that they can run in one order only. Of the others, none: the
// runtime runs independent nodes in an order of its own. Only nodes at the top are tied. They point into `recording`.
NamelessNodes nameless_nodes(const Recording& recording);

}  // namespace aaco
