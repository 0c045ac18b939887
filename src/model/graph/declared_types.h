// SPDX-License-Identifier: MIT
// What a file declares about a tensor, and its names as text that every reader of a session can take.
#pragma once

#include <string>

#include "model/graph/onnx_graph.h"

namespace onnx {
class ValueInfoProto;
}

namespace aaco {

TensorInfo tensor_info(const onnx::ValueInfoProto& declaration);

// The text with each byte that is not UTF-8 replaced by U+FFFD: ONNX does not forbid such names, Parquet does.
std::string valid_utf8(const std::string& text);

}  // namespace aaco
