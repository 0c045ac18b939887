// SPDX-License-Identifier: MIT
#include "model/graph/defined_names.h"

#include "onnx.pb.h"

namespace aaco {
namespace {

using Names = std::unordered_set<std::string_view>;

Names names_defined_in(const onnx::GraphProto& graph) {
  Names names;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    names.insert(input.name());
  }
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    names.insert(tensor.name());
  }
  for (const onnx::SparseTensorProto& sparse : graph.sparse_initializer()) {
    names.insert(sparse.values().name());
  }
  for (const onnx::NodeProto& node : graph.node()) {
    names.insert(node.output().begin(), node.output().end());
  }
  return names;
}

void visit(const onnx::GraphProto& graph, Names& seen, Names& repeated) {
  for (const std::string_view name : names_defined_in(graph)) {
    if (!seen.insert(name).second) {
      repeated.insert(name);
    }
  }
  for (const onnx::NodeProto& node : graph.node()) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) {
        visit(attribute.g(), seen, repeated);
      }
      for (const onnx::GraphProto& body : attribute.graphs()) {
        visit(body, seen, repeated);
      }
    }
  }
}

}  // namespace

std::unordered_set<std::string_view> names_of_several_graphs(const onnx::GraphProto& top) {
  Names seen;
  Names repeated;
  visit(top, seen, repeated);
  return repeated;
}

}  // namespace aaco
