// SPDX-License-Identifier: MIT
// Walks a parsed model once, in file order, and fills the rows of a ModelGraph: what each tensor is, who makes it, who
// takes it, and what each node costs.
#pragma once

#include <string>

#include "base/result.h"
#include "model/graph/onnx_graph.h"

namespace onnx {
class ModelProto;
}

namespace aaco {

// `source` names the model in errors.
Result<ModelGraph> build_model_graph(const onnx::ModelProto& model, const std::string& source, GraphForm form,
                                     const KnownShapes& known);

}  // namespace aaco
