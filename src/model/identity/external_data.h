// SPDX-License-Identifier: MIT
// Which files besides itself an ONNX model takes its weights from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

// Locations as the model writes them, relative to its folder; each once, sorted. Tensors of the graph, of bodies, of
// functions and of attributes count; payloads are skipped, not read. Errors: kUsage for a file that cannot be read, is
// damaged or is no ONNX model in protobuf's format.
Result<std::vector<std::string>> external_locations(const std::filesystem::path& model);

// The file of a location: in the model's folder as it is named, else in that of the file that the name links to (the
// cache of a hub holds links).
std::filesystem::path external_file(const std::filesystem::path& model, const std::string& location);

}  // namespace aaco
