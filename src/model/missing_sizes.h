// SPDX-License-Identifier: MIT
// What a user is told whose model leaves sizes open: all of them at once, and a command line that gives each a size.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/tensor.h"

namespace aaco {

// True for a name that --dim can give a size.
bool is_dimension_name(const std::string& name);

// An input whose size is known but for the axes that hold -1.
struct OpenInput {
  const PortInfo* port;
  std::vector<int64_t> dims;
};

// `inputs` is not empty. `command_line` may be: the flags alone are offered then. The offered sizes are examples: 224
// for a side of an image, or the other side's where that is known; a second of sound at 16 kHz; 1 in the middle of a
// recurrent state; 128 for what else there is.
Error missing_sizes(const std::vector<OpenInput>& inputs, std::vector<std::string> command_line);

}  // namespace aaco
