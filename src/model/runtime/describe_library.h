// SPDX-License-Identifier: MIT
// For doctor: which ONNX Runtime this is, and which of its providers start.
#pragma once

#include <string>

#include "base/result.h"
#include "model/runtime/ort_library.h"

namespace aaco {

Result<OrtLibraryInfo> describe_ort_library(const std::string& override_path);

}  // namespace aaco
