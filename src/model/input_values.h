// SPDX-License-Identifier: MIT
// Inputs for a model: values, seeded and typed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/input_shapes.h"
#include "model/tensor.h"

namespace aaco {

struct InputRequest : ShapeRequest {
  std::map<std::string, int64_t> index_limits;  // input -> rows of the table that it indexes
  std::string integer_dtype;                    // of the registry: checked against the model
  std::set<std::string> flipped_masks;          // masks to be made of zeros where else of ones, and the other way
  uint64_t seed = 0;
};

// How an input was made, for runtime/ort_config.json.
struct InputNote {
  std::string name;
  std::string dtype;
  std::vector<int64_t> dims;
  // "bell-shaped, mean 0, deviation 1", "uniform integers from 0 to 30521", "ones", "0, 1, 2, ... along the last axis",
  // "the texts 0, 1, 2, ...", or the file
  std::string values;
};

struct MadeInputs {
  std::vector<HostTensor> tensors;  // in the model's order
  std::vector<InputNote> notes;
  int64_t batch = 1;  // as InputShapes has it
};

// Values by the input's type and name: an index into a table stays below its rows; names with "mask" get ones, or zeros
// where the name says that one means "ignore" (padding_mask); names with "position" count along the last axis; other
// integers are 0 or 1; booleans true; floats bell-shaped (model/seeded_random.h); strings that are numbers, so that a
// model may read them as such. The same seed gives the same values on any machine. Errors: those of resolve_shapes, and
// kUsage for a file that cannot be read or holds another type, or a registry dtype that is not the model's.
Result<MadeInputs> make_inputs(const std::vector<PortInfo>& ports, const InputRequest& request);

}  // namespace aaco
