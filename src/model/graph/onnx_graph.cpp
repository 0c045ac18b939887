// SPDX-License-Identifier: MIT
#include "model/graph/onnx_graph.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "model/graph/graph_builder.h"
#include "model/graph/onnx_skeleton.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

using google::protobuf::io::ArrayInputStream;
using google::protobuf::io::FileInputStream;
using google::protobuf::io::ZeroCopyInputStream;

Error not_a_model(const std::string& source, const std::string& problem) {
  return Error{ErrorKind::kUsage, source + ": not a readable ONNX model: " + problem,
               "give a .onnx file that was exported whole"};
}

Result<ModelGraph> read_stream(ZeroCopyInputStream& stream, int64_t size, const std::string& source, GraphForm form,
                               const KnownShapes& known) {
  AACO_ASSIGN(const std::string skeleton, read_onnx_skeleton(stream, size, source));
  google::protobuf::Arena arena;
  auto* model = google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  if (!model->ParseFromString(skeleton)) {
    return not_a_model(source, "it is damaged, or its graphs are nested too deeply");
  }
  if (!model->has_graph()) {
    return not_a_model(source, "it has no graph");
  }
  return build_model_graph(*model, source, form, known);
}

Json dims_json(const TensorInfo& tensor) {
  if (!tensor.rank_known) {
    return nullptr;
  }
  Json dims = Json::array();
  for (size_t i = 0; i < tensor.dims.size(); ++i) {
    if (tensor.dims[i] >= 0) {
      dims.push_back(tensor.dims[i]);
    } else {
      dims.push_back(tensor.dim_names[i].empty() ? "?" : tensor.dim_names[i]);
    }
  }
  return dims;
}

Json tensors_json(const std::vector<TensorInfo>& tensors) {
  Json list = Json::array();
  for (const TensorInfo& tensor : tensors) {
    list.push_back({{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", dims_json(tensor)}});
  }
  return list;
}

}  // namespace

Result<ModelGraph> read_model_graph(const std::filesystem::path& path, GraphForm form, const KnownShapes& known) {
  // Not blocking, so that opening a pipe does not wait for a writer.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return file_error(path, "open", errno);
  }
  FileInputStream stream(descriptor);
  stream.SetCloseOnDelete(true);
  struct stat status{};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    return not_a_model(path.string(), "it is not a file");
  }
  return read_stream(stream, status.st_size, path.string(), form, known);
}

Result<ModelGraph> read_model_graph_bytes(std::string_view bytes, const std::string& source, GraphForm form,
                                          const KnownShapes& known) {
  const auto size = static_cast<int>(std::min<size_t>(bytes.size(), std::numeric_limits<int>::max()));
  ArrayInputStream stream(bytes.data(), size);
  return read_stream(stream, static_cast<int64_t>(bytes.size()), source, form, known);
}

int64_t executed_nodes(const ModelGraph& graph) {
  return std::count_if(graph.nodes.begin(), graph.nodes.end(),
                       [](const GraphNodeRow& node) { return node.executes != 0; });
}

GraphFlops total_flops(const ModelGraph& graph) {
  GraphFlops total;
  for (const GraphNodeRow& node : graph.nodes) {
    total.nodes += node.executes;
    if (node.executes != 0 && node.executions && node.flops) {
      total.flops += *node.flops * *node.executions;
      ++total.nodes_covered;
    }
  }
  return total;
}

Json model_meta_json(const ModelGraph& graph) {
  const GraphFlops flops = total_flops(graph);
  Json json;
  json["ir_version"] = graph.ir_version;
  json["opsets"] = graph.opsets;
  json["producer"] = graph.producer;
  json["inputs"] = tensors_json(graph.inputs);
  json["outputs"] = tensors_json(graph.outputs);
  json["parameters"] = graph.parameters;
  json["parameter_bytes"] = graph.parameter_bytes ? Json(*graph.parameter_bytes) : Json(nullptr);
  json["nodes"] = graph.nodes.size();
  json["executed_nodes"] = executed_nodes(graph);
  json["edges"] = graph.edges.size();
  json["op_counts"] = graph.op_counts;
  // No node covered is no data, not zero.
  json["flops"] = flops.nodes_covered == 0 ? Json(nullptr) : Json(flops.flops);
  json["flops_nodes_covered"] = flops.nodes_covered;
  json["flops_nodes"] = flops.nodes;
  return json;
}

}  // namespace aaco
