// SPDX-License-Identifier: MIT
// What a user is told whose model leaves sizes open, or takes values that only the user can know: all of it at once,
// and a command line that gives each.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/tensor.h"

namespace aaco {

// True for a name that --dim can give a size.
bool is_dimension_name(const std::string& name);

// An input whose size is known but for the axes that hold -1; where its rank is not known, none is.
struct OpenInput {
  const PortInfo* port;
  std::vector<int64_t> dims;
};

// An input whose values nobody but the user knows.
struct NeededValues {
  std::string input;
  std::string decides;  // "the number of elements of TopK t"
  std::string example;  // for --input: "10", "1,3,32,32"
};

// Sizes that stand in for those that nobody gave. `attempt` counts from 0 to kExampleAttempts - 1: what a model does
// not run with it may run with the next ones. The first are 224 for a side of an image, or the other side's where that
// is known; a second of sound at 16 kHz; 1 in the middle of a recurrent state; 128 for what else there is.
constexpr int64_t kExampleAttempts = 9;
struct ExampleSizes {
  std::map<std::string, int64_t> names;  // for --dim
  std::map<std::string, std::vector<int64_t>>
      nameless;  // by input: all its sizes, -1 where a name or expression has one
};
// Of a dimension that is an expression ("past + sequence"), `operands_of` names those operands that have no size yet.
using OperandsOf = std::function<std::set<std::string>(const std::string&)>;
ExampleSizes example_sizes(const std::vector<OpenInput>& inputs, const OperandsOf& operands_of, int64_t attempt);

// `inputs` and `values` are not both empty. `command_line` may be: the flags alone are offered then. `shapes` holds the
// sizes that the inputs have with `examples`.
Error missing_inputs(const std::vector<OpenInput>& inputs, const ExampleSizes& examples,
                     const std::map<std::string, std::vector<int64_t>>& shapes, const std::vector<NeededValues>& values,
                     std::vector<std::string> command_line);

}  // namespace aaco
