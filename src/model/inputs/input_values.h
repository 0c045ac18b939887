// SPDX-License-Identifier: MIT
// Inputs for a model: values, seeded and typed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/input_use.h"
#include "model/inputs/input_shapes.h"
#include "model/tensor.h"

namespace aaco {

// What the model does with the values of its inputs, given their shapes and element types; null: not known.
using InputTypes = std::map<std::string, std::pair<std::vector<int64_t>, std::string>>;
using UsesOfInputs = std::function<InputUses(const InputTypes&)>;

struct InputRequest : ShapeRequest {
  UsesOfInputs uses_of;
  std::map<std::string, int64_t> index_limits;  // input -> rows of the table that it indexes, where that is known
  std::string integer_dtype;                    // of the registry: checked against the model
  std::set<std::string> flipped_masks;          // masks to be made of zeros where else of ones, and the other way
  uint64_t seed = 0;
};

// Why an input has the values that the user gave it.
inline constexpr const char* kGivenInput = "given";

// How an input was made, for runtime/ort_config.json.
struct InputNote {
  std::string name;
  std::string dtype;
  std::vector<int64_t> dims;
  // "bell-shaped, mean 0, deviation 1", "uniform integers from 0 to 30521", "ones", "0, 1, 2, ... along the last axis",
  // "the texts 0, 1, 2, ...", "100", or the file
  std::string values;
  std::string why;  // "they index the 30522 rows of table (Gather g)"; kGivenInput
};

struct InputSet {
  std::vector<HostTensor> tensors;  // in the model's order
  std::vector<InputNote> notes;
  int64_t batch = 1;             // as InputShapes has it
  std::optional<Error> missing;  // what the user is to be told where examples were taken
};

// Values by what the model does with them, the input's type and name: an index into a table is anywhere in it; a number
// of valid steps is all of them, also where only a name says length; names with "mask" get ones, or zeros where the
// name says that one means "ignore" (padding_mask); names with "position" count along the last axis; other integers are
// 0 or 1; booleans true; floats bell-shaped (model/seeded_random.h); strings that are numbers, so that a model may read
// them as such. The same seed gives the same values on any machine. Errors: those of resolve_shapes, which also name
// the inputs whose values decide how often or how much the model computes, and that nobody gave; kUsage for a file or
// text that cannot be read or holds another type, or a registry dtype that is not the model's.
Result<InputSet> make_inputs(const std::vector<PortInfo>& ports, const InputRequest& request);

// The same with the examples of `request.attempt` where sizes or values are missing, which is then no error.
Result<InputSet> make_example_inputs(const std::vector<PortInfo>& ports, const InputRequest& request);

}  // namespace aaco
