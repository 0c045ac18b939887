// SPDX-License-Identifier: MIT
// An ONNX file as rows: nodes with shapes, FLOPs and bytes, and the tensors between them. Reads structure only: weights
// are skipped, external data is never opened. ONNX Runtime alone decides whether a model is valid.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "model/graph/input_uses.h"
#include "record/rows.h"

namespace aaco {

// A graph input or output as the file declares it.
struct TensorInfo {
  std::string name;
  std::string dtype;                   // "float32", "int64", "string", "sequence(float32)", ...; "" when not declared
  bool rank_known = true;              // false: the file declares no shape, and `dims` is empty
  std::vector<int64_t> dims;           // -1: symbolic
  std::vector<std::string> dim_names;  // as long as dims; "" where the dimension has a value or no name
};

struct ModelGraph {
  std::vector<TensorInfo> inputs;  // without initialisers
  std::vector<TensorInfo> outputs;
  int64_t ir_version = 0;
  std::map<std::string, int64_t> opsets;  // by domain; the standard domain is "ai.onnx"
  std::string producer;                   // name and version
  int64_t parameters = 0;                 // elements of all initialisers, of any type, subgraphs included
  // From their shapes; string initialisers count nothing. No value where a type is none of ONNX.
  std::optional<int64_t> parameter_bytes = 0;
  std::vector<GraphNodeRow> nodes;  // node_id is the index; a body's nodes follow their control-flow node
  std::vector<GraphEdgeRow> edges;
  InputUses input_uses;  // of numeric inputs whose values decide more than numbers; those named masks are left out
  std::map<std::string, int64_t> op_counts;  // every node, by op_type, with "domain." before it where not standard
};

// Shapes that the runtime reported, by tensor name: inputs as bound, intermediates as executed. They replace what the
// file says, except for initialisers and for names that more than one graph of the file defines (bodies alike). An
// empty dtype is unknown.
using KnownShapes = std::map<std::string, std::pair<std::vector<int64_t>, std::string>>;

// Shapes come from `known`, else from static inference, else from what the
// file declares; what none of them knows is "?". A tensor of more than 16 dimensions has no known shape.
// Edges go from producer to consumer. A tensor that a loop or branch body captures has an edge to the consumer inside
// and one to each control-flow node around it; a body's own inputs come from its control-flow node. There is none back
// from a body to its control-flow node, so that the edges of a valid model form no cycle.
// Errors: kUsage when the file cannot be read, is truncated, is not ONNX, or is beyond sense (more than 500,000 nodes,
// 128 MiB without weights, 512 MiB of rows, bodies nested over 30 deep, an initialiser of negative size).
Result<ModelGraph> read_model_graph(const std::filesystem::path& path, GraphForm form, const KnownShapes& known);
// The same from memory; `source` names the bytes in errors.
Result<ModelGraph> read_model_graph_bytes(std::string_view bytes, const std::string& source, GraphForm form,
                                          const KnownShapes& known);

// Nodes that an inference executes at least once if it takes every branch: all but Constant, bodies included.
int64_t executed_nodes(const ModelGraph& graph);

// FLOPs of one inference, each node as often as it runs. Nodes in bodies of which that is not known are left out and
// count as not covered.
struct GraphFlops {
  double flops = 0;  // sum over the covered nodes
  int64_t nodes_covered = 0;
  int64_t nodes = 0;  // executed_nodes()
};
GraphFlops total_flops(const ModelGraph& graph);

// For model/model_meta.json: versions, producer, inputs and outputs, parameters, operator counts, nodes, FLOPs with
// coverage.
Json model_meta_json(const ModelGraph& graph);

}  // namespace aaco
