// SPDX-License-Identifier: MIT
// Inputs for a model: shapes made definite, values seeded and typed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/tensor.h"

namespace aaco {

struct InputRequest {
  int64_t batch = 1;
  std::map<std::string, int64_t> dims;                 // --dim NAME=N
  std::map<std::string, std::vector<int64_t>> shapes;  // of the registry; -1 never
  std::map<std::string, std::filesystem::path> files;  // --input NAME=FILE
  std::map<std::string, int64_t> index_limits;         // input -> rows of the table that it indexes
  std::string integer_dtype;                           // of the registry: checked against the model
  uint64_t seed = 0;
};

// How an input was made, for runtime/ort_config.json.
struct InputNote {
  std::string name;
  std::string dtype;
  std::vector<int64_t> dims;
  // "bell-shaped, mean 0, deviation 1", "uniform integers from 0 to 30521", "ones", "0, 1, 2, ... along the last axis",
  // "s0, s1, s2, ...", or the file
  std::string values;
};

struct MadeInputs {
  std::vector<HostTensor> tensors;  // in the model's order
  std::vector<InputNote> notes;
};

// The definite shape of each input. Leading symbolic dimension: the batch, as is a leading registry dimension of 1;
// other symbolic dimensions: --dim, else the registry's shape. Errors: kUsage naming the input and the dimension
// without a value, a registry or --dim name that the model does not have, a shape that contradicts the model, an
// input that is no dense tensor or of an unknown element type, or a total size above 64 GiB.
Result<std::map<std::string, std::vector<int64_t>>> resolve_shapes(const std::vector<PortInfo>& ports,
                                                                   const InputRequest& request);

// Values by the input's type and name: an index into a table stays below its rows; names with "mask" get ones; names
// with "position" count along the last axis; other integers are 0 or 1; booleans true; floats bell-shaped
// (model/seeded_random.h); strings "s<k>". The same seed gives the same values on any machine. Errors: those of
// resolve_shapes, and kUsage for a file that cannot be read or holds another type, or a registry dtype that is not the
// model's.
Result<MadeInputs> make_inputs(const std::vector<PortInfo>& ports, const InputRequest& request);

}  // namespace aaco
