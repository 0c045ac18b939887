// SPDX-License-Identifier: MIT
// What to do about a model that ONNX Runtime does not load or run.
#pragma once

#include <string>

namespace aaco {

// `message`: the runtime's own. "" where nothing is known of it. `version`: of the runtime.
std::string load_remedy(const std::string& message, const std::string& version);

}  // namespace aaco
