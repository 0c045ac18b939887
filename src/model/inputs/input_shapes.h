// SPDX-License-Identifier: MIT
// Shapes of a model's inputs, made definite: what the model leaves open takes its size from the user or the registry.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/inputs/missing_inputs.h"
#include "model/tensor.h"

namespace aaco {

using InputDims = std::map<std::string, std::vector<int64_t>>;  // by the input's name; no size is negative

struct ShapeRequest {
  std::optional<int64_t> batch;                        // --batch
  std::map<std::string, int64_t> dims;                 // --dim NAME=N
  InputDims shapes;                                    // --shape NAME=1x3x48x192
  InputDims registered;                                // of the registry
  std::map<std::string, std::filesystem::path> files;  // --input NAME=FILE, which bring their shapes
  std::map<std::string, std::string> texts;            // --input NAME=50 or NAME=1,2,3, which do not
  // What was typed, offered again with the sizes that it lacks; may be empty.
  std::vector<std::string> command_line;
  int64_t attempt = 0;  // which example sizes stand in for those that are missing
};

struct InputShapes {
  InputDims dims;     // of every input that is not from a file
  int64_t batch = 1;  // what the dimensions that take --batch came to
  // Inputs that lack sizes: those in `dims` are the examples.
  std::vector<OpenInput> open;
  ExampleSizes examples;
};

// Those are the dimensions of BatchDimensions. Without --batch they take what --dim or --shape gives one of them, where
// those agree, else 1. With it, a 1 there in a shape that was given or registered is the batch. Other symbolic
// dimensions: --shape, --dim, what another input's
// --shape says of the same name, what an expression over other names comes to, the registry. An empty name and "?" are
// no names. Errors: kUsage naming all inputs that lack a size, with the command line that gives them sizes; a name of a
// flag or of the registry that the model does not have; sizes that contradict the model or each other; an input that is
// no dense tensor or of an unknown element type; a total size above 64 GiB.
Result<InputShapes> resolve_shapes(const std::vector<PortInfo>& ports, const ShapeRequest& request);

// The same with examples where sizes are missing, which is then no error.
Result<InputShapes> propose_shapes(const std::vector<PortInfo>& ports, const ShapeRequest& request);

}  // namespace aaco
