// SPDX-License-Identifier: MIT
// Tensors from files: NumPy .npy (format 1 to 3, C order) and ONNX TensorProto .pb.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "model/tensor.h"

namespace aaco {

// By the file's ending. Errors: kUsage naming the file and what is wrong with it.
Result<HostTensor> read_tensor_file(const std::filesystem::path& path);

// The same from bytes; `source` names them in errors.
Result<HostTensor> parse_npy(std::string_view bytes, const std::string& source);
Result<HostTensor> parse_tensor_proto(std::string_view bytes, const std::string& source);

}  // namespace aaco
