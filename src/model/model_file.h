// SPDX-License-Identifier: MIT
// What a file that should be an ONNX model is instead, told from its first bytes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace aaco {

// "" where the bytes may be those of a model: ONNX has no mark of its own, so that only what is surely something else
// is named. `size`: of the whole file.
struct OtherFile {
  std::string what;    // "a pointer of Git LFS: the model itself was not downloaded"
  std::string remedy;  // what to do
};
OtherFile not_a_model(std::string_view head, uint64_t size);

// Errors: kUsage for a file that is no model, and says what it is and what to do.
Result<void> check_model_file(const std::filesystem::path& path);

}  // namespace aaco
