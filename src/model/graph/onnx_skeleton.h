// SPDX-License-Identifier: MIT
// An ONNX file without its weights: the part of the protobuf message that structure, shapes and small constants need.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace google::protobuf::io {
class ZeroCopyInputStream;
}

namespace aaco {

// Lists of more values than this (weights, tree ensembles) are dropped; shapes and axes are far shorter.
constexpr int64_t kLongestKeptList = 1024;

// A serialised onnx.ModelProto of the stream's first `size` bytes that lacks long value lists, external data locations,
// documentation, functions and training information. Large payloads are skipped, not read. Memory is bounded whatever
// the input. Errors: kUsage, with `source` in the message.
Result<std::string> read_onnx_skeleton(google::protobuf::io::ZeroCopyInputStream& stream, int64_t size,
                                       const std::string& source);

// Whether such an error is for the model's size: whatever ONNX Runtime makes of it, aaco cannot take it.
bool is_too_large(const Error& refusal);

}  // namespace aaco
