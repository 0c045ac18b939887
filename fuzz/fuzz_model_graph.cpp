// SPDX-License-Identifier: MIT
// Any bytes as an ONNX file: rows whose edges join nodes that are there, or an error with a hint.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json/json.h"
#include "input_file.h"
#include "model/graph/onnx_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto graph = aaco::read_model_graph_bytes({reinterpret_cast<const char*>(data), size}, "input",
                                                  aaco::GraphForm::kOriginal, {});
  if (!graph) {
    aaco::fuzz::require(!graph.error().message.empty() && !graph.error().hint.empty());
    return 0;
  }
  const auto nodes = static_cast<int64_t>(graph->nodes.size());
  for (const aaco::GraphEdgeRow& edge : graph->edges) {
    aaco::fuzz::require(edge.src_node_id < nodes && edge.dst_node_id < nodes);
  }
  const aaco::GraphFlops flops = aaco::total_flops(*graph);
  aaco::fuzz::require(flops.flops >= 0 && flops.nodes_covered <= flops.nodes && flops.nodes <= nodes);
  aaco::model_meta_json(*graph);
  return 0;
}
