// SPDX-License-Identifier: MIT
#include "model/graph/graph_builder.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "cost/onnx_cost.h"
#include "model/graph/declared_types.h"
#include "model/graph/defined_names.h"
#include "model/graph/input_uses.h"
#include "model/graph/node_cost.h"
#include "model/graph/shapes/shape_inference.h"
#include "model/graph/shapes/trip_count.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

constexpr int64_t kNoProducer = -1;
// Every node of a body repeats its path, so that of a long one only the end is kept.
constexpr size_t kLongestPath = 400;
// A small file can repeat a long text in very many rows, and compute very many constants.
constexpr size_t kMaxKeptBytes = size_t{512} << 20;

struct Value {
  int64_t producer = kNoProducer;  // none for the model's inputs and initialisers
  TensorFacts facts;
};

// The names that one graph defines, in front of those of the graphs around it.
struct Scope {
  const Scope* outer = nullptr;
  int64_t owner = kNoProducer;       // the control-flow node whose body this is
  std::optional<double> executions;  // per inference, where the file fixes them
  std::unordered_map<std::string_view, Value> values;
};

std::string path_of_body(const std::string& outer, const std::string& node, const std::string& attribute) {
  const std::string path = (outer.empty() ? "" : outer + "/") + valid_utf8(node) + "." + valid_utf8(attribute);
  size_t from = path.size() > kLongestPath ? path.size() - kLongestPath : 0;
  while (from < path.size() && (static_cast<unsigned char>(path[from]) & 0xC0U) == 0x80U) {
    ++from;  // not inside a character
  }
  return path.substr(from);
}

// What a tensor takes in the row of a node that has it.
size_t text_bytes(const std::string& name, const TensorFacts& facts) {
  constexpr size_t kLongestDim = 14;  // thirteen digits and a comma
  return name.size() + (facts.shape ? facts.shape->size() * kLongestDim : 1);
}

class Builder {
 public:
  Builder(const std::string& source, GraphForm form, const KnownShapes& known, ModelGraph& graph)
      : source_(source), form_(form), known_(known), graph_(graph) {}

  Result<void> build(const onnx::GraphProto& top) {
    ambiguous_ = names_of_several_graphs(top);
    bind_symbols(top);
    AACO_TRY(add_graph(top, "", nullptr, kNoProducer, 1, nullptr, nullptr));
    return {};
  }

 private:
  // What a symbolic dimension stands for, where the inputs as bound tell; two answers are none.
  void bind_symbols(const onnx::GraphProto& top) {
    std::set<std::string> ambiguous;
    for (const onnx::ValueInfoProto& input : top.input()) {
      const auto known = known_.find(input.name());
      const TensorInfo declared = tensor_info(input);
      if (known == known_.end() || known->second.first.size() != declared.dims.size()) {
        continue;
      }
      for (size_t i = 0; i < declared.dims.size(); ++i) {
        const std::string& name = declared.dim_names[i];
        const int64_t size = known->second.first[i];
        if (!name.empty() && symbols_.try_emplace(name, size).first->second != size) {
          ambiguous.insert(name);
        }
      }
    }
    for (const std::string& name : ambiguous) {
      symbols_.erase(name);
    }
  }

  TensorFacts declared_facts(const onnx::ValueInfoProto& declaration) const {
    const TensorInfo info = tensor_info(declaration);
    TensorFacts facts;
    facts.dtype = info.dtype;
    if (info.rank_known) {
      Dims dims = info.dims;
      for (size_t i = 0; i < dims.size(); ++i) {
        const auto symbol = symbols_.find(info.dim_names[i]);
        dims[i] = dims[i] < 0 && symbol != symbols_.end() ? symbol->second : dims[i];
      }
      facts.shape = sane_shape(std::move(dims));
    }
    return facts;
  }

  // What the runtime reported, over what was inferred, over what the file declares.
  TensorFacts merged(const std::string& name, TensorFacts inferred, const TensorFacts* declared) const {
    if (declared != nullptr) {
      inferred.dtype = inferred.dtype.empty() ? declared->dtype : inferred.dtype;
      if (!inferred.shape) {
        inferred.shape = declared->shape;
      } else if (declared->shape && declared->shape->size() == inferred.shape->size()) {
        for (size_t i = 0; i < inferred.shape->size(); ++i) {
          int64_t& dim = (*inferred.shape)[i];
          dim = dim < 0 ? (*declared->shape)[i] : dim;
        }
      }
    }
    // The runtime names tensors without saying of which body.
    if (const auto known = known_.find(name); known != known_.end() && !ambiguous_.contains(name)) {
      inferred.shape = sane_shape(known->second.first);
      inferred.dtype = known->second.second.empty() ? inferred.dtype : known->second.second;
    }
    return inferred;
  }

  static const Value* find(const Scope* scope, std::string_view name) {
    for (; scope != nullptr; scope = scope->outer) {
      if (const auto value = scope->values.find(name); value != scope->values.end()) {
        return &value->second;
      }
    }
    return nullptr;
  }

  Result<void> count_parameters(const onnx::TensorProto& tensor) {
    const auto count = element_count({tensor.dims().begin(), tensor.dims().end()});
    const std::string dtype = dtype_name(tensor.data_type());
    const std::optional<double> element = dtype == "string" ? 0 : dtype_bytes(dtype);
    const double bytes = static_cast<double>(count.value_or(0)) * element.value_or(0);
    constexpr double kMostBytes = 9e18;
    if (!count || __builtin_add_overflow(graph_.parameters, *count, &graph_.parameters) ||
        static_cast<double>(graph_.parameter_bytes.value_or(0)) + bytes > kMostBytes) {
      return Error{ErrorKind::kUsage,
                   source_ + ": initialiser '" + valid_utf8(tensor.name()) + "' has a size that no tensor has",
                   "export the model again: the file is damaged"};
    }
    if (!element) {
      graph_.parameter_bytes.reset();
    } else if (graph_.parameter_bytes) {
      *graph_.parameter_bytes += static_cast<int64_t>(bytes);
    }
    return {};
  }

  Result<void> charge(size_t bytes) {
    kept_bytes_ += bytes;
    if (kept_bytes_ > kMaxKeptBytes) {
      return Error{ErrorKind::kUsage, source_ + ": its nodes and tensors take more than 512 MiB without the weights",
                   "a model that repeats so much was not exported by a tool: check where the file comes from"};
    }
    return {};
  }

  Result<void> define(Scope& scope, const std::string& name, Value value) {
    const TensorFacts& facts = value.facts;
    AACO_TRY(charge(facts.values.use_count() == 1 ? facts.values->size() * sizeof(int64_t) : 0));
    AACO_TRY(charge(facts.reals.use_count() == 1 ? facts.reals->size() * sizeof(double) : 0));
    scope.values[name] = std::move(value);
    return {};
  }

  Result<void> add_initialisers(const onnx::GraphProto& proto, Scope& scope) {
    for (const onnx::TensorProto& tensor : proto.initializer()) {
      AACO_TRY(count_parameters(tensor));
      AACO_TRY(define(scope, tensor.name(), {kNoProducer, facts_of(tensor)}));
    }
    for (const onnx::SparseTensorProto& sparse : proto.sparse_initializer()) {
      AACO_TRY(count_parameters(sparse.values()));
      TensorFacts facts = facts_of(sparse.values());
      facts.shape = sane_shape({sparse.dims().begin(), sparse.dims().end()});
      facts.values.reset();
      facts.reals.reset();
      AACO_TRY(define(scope, sparse.values().name(), {kNoProducer, std::move(facts)}));
    }
    return {};
  }

  // `traces`: where the values of a body's inputs come from. `results`: types, shapes and traces that the graph's
  // outputs turn out to have. Null where nobody knows, or asks.
  Result<void> add_graph(const onnx::GraphProto& proto, const std::string& path, const Scope* outer, int64_t owner,
                         std::optional<double> executions, const std::vector<InputTraces>* traces,
                         std::vector<TensorFacts>* results) {
    Scope scope{outer, owner, executions, {}};
    AACO_TRY(add_initialisers(proto, scope));
    for (int i = 0; i < proto.input_size(); ++i) {
      const onnx::ValueInfoProto& input = proto.input(i);
      const bool is_initialiser = scope.values.contains(input.name());
      if (!is_initialiser) {
        TensorFacts facts = merged(input.name(), declared_facts(input), nullptr);
        const bool passed = traces != nullptr && static_cast<size_t>(i) < traces->size();
        facts.traces = outer == nullptr ? trace_of_input(input.name(), facts)
                       : passed         ? (*traces)[static_cast<size_t>(i)]
                                        : nullptr;
        scope.values[input.name()] = {owner, std::move(facts)};
      }
      if (!is_initialiser && outer == nullptr) {
        graph_.inputs.push_back(tensor_info(input));
      }
    }
    std::unordered_map<std::string_view, TensorFacts> declared;
    for (const onnx::ValueInfoProto& value : proto.value_info()) {
      declared[value.name()] = declared_facts(value);
    }
    for (const onnx::ValueInfoProto& output : proto.output()) {
      declared[output.name()] = declared_facts(output);
      if (outer == nullptr) {
        graph_.outputs.push_back(tensor_info(output));
      }
    }
    std::vector<int64_t> ids;
    for (const onnx::NodeProto& node : proto.node()) {
      ids.push_back(static_cast<int64_t>(graph_.nodes.size()));
      AACO_TRY(add_node(node, path, scope, declared));
    }
    for (int i = 0; i < proto.node_size(); ++i) {
      AACO_TRY(add_edges(proto.node(i), ids[static_cast<size_t>(i)], scope));
    }
    if (results != nullptr) {
      for (const onnx::ValueInfoProto& output : proto.output()) {
        const Value* value = find(&scope, output.name());
        results->push_back(value == nullptr
                               ? TensorFacts{}
                               : TensorFacts{value->facts.dtype, value->facts.shape, {}, {}, value->facts.traces});
      }
    }
    return {};
  }

  Result<void> add_node(const onnx::NodeProto& node, const std::string& path, Scope& scope,
                        const std::unordered_map<std::string_view, TensorFacts>& declared) {
    const size_t id = graph_.nodes.size();
    graph_.nodes.push_back(named_row(node, static_cast<int64_t>(id), path, scope.executions));
    std::vector<const TensorFacts*> inputs;
    for (const std::string& name : node.input()) {
      static const TensorFacts kNothingKnown;
      const Value* value = name.empty() ? nullptr : find(&scope, name);
      inputs.push_back(name.empty() ? nullptr : value == nullptr ? &kNothingKnown : &value->facts);
    }
    std::vector<TensorFacts> outputs = infer_outputs(node, inputs);
    note_uses(NodeView(node, inputs), graph_.input_uses);
    AACO_TRY(add_bodies(node, static_cast<int64_t>(id), path, scope, inputs, outputs));
    for (int i = 0; i < node.output_size(); ++i) {
      TensorFacts& output = outputs[static_cast<size_t>(i)];
      const auto declaration = declared.find(node.output(i));
      output =
          merged(node.output(i), std::move(output), declaration == declared.end() ? nullptr : &declaration->second);
    }
    AACO_TRY(charge_row(node, path, inputs, outputs));
    fill_cost(node, inputs, outputs, graph_.nodes[id]);
    // Only now, because an output that takes an input's name would replace what `inputs` points to.
    for (int i = 0; i < node.output_size(); ++i) {
      if (!node.output(i).empty()) {
        TensorFacts& output = outputs[static_cast<size_t>(i)];
        AACO_TRY(define(scope, node.output(i), {static_cast<int64_t>(id), std::move(output)}));
      }
    }
    return {};
  }

  Result<void> charge_row(const onnx::NodeProto& node, const std::string& path,
                          const std::vector<const TensorFacts*>& inputs, const std::vector<TensorFacts>& outputs) {
    size_t bytes = path.size();
    for (size_t i = 0; i < inputs.size(); ++i) {
      bytes += inputs[i] == nullptr ? 0 : text_bytes(node.input(static_cast<int>(i)), *inputs[i]);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      bytes += text_bytes(node.output(static_cast<int>(i)), outputs[i]);
    }
    return charge(bytes);
  }

  GraphNodeRow named_row(const onnx::NodeProto& node, int64_t id, const std::string& path,
                         std::optional<double> executions) {
    GraphNodeRow row;
    row.node_id = id;
    row.graph = form_;
    row.scope = path;
    row.name = valid_utf8(node.name());
    row.op_type = valid_utf8(node.op_type());
    row.domain = node.domain() == "ai.onnx" ? "" : valid_utf8(node.domain());
    row.executes = row.op_type == "Constant" && row.domain.empty() ? 0 : 1;
    row.executions = row.executes == 0 ? 0 : executions;
    ++graph_.op_counts[row.domain.empty() ? row.op_type : row.domain + "." + row.op_type];
    return row;
  }

  // The graphs of a control-flow node's attributes. Where all branches of an If agree, so do its outputs; those of a
  // loop may change from one iteration to the next.
  Result<void> add_bodies(const onnx::NodeProto& node, int64_t id, const std::string& path, const Scope& scope,
                          const std::vector<const TensorFacts*>& inputs, std::vector<TensorFacts>& outputs) {
    const std::string name = node.name().empty() ? node.op_type() + "_" + std::to_string(id) : node.name();
    const bool is_if = node.op_type() == "If";
    const bool is_loop = node.op_type() == "Loop";
    const std::vector<InputTraces> passed = is_if ? std::vector<InputTraces>() : passed_to_body(inputs, is_loop);
    std::vector<std::vector<TensorFacts>> results;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      const std::string body_path = path_of_body(path, name, attribute.name());
      if (attribute.has_g()) {
        const std::optional<double> runs = fixed_trip_count(node, attribute, inputs);
        const auto executions = runs && scope.executions ? std::optional(*runs * *scope.executions) : std::nullopt;
        AACO_TRY(add_graph(attribute.g(), body_path, &scope, id, executions, &passed, &results.emplace_back()));
      }
      for (const onnx::GraphProto& graph : attribute.graphs()) {
        AACO_TRY(add_graph(graph, body_path, &scope, id, std::nullopt, nullptr, nullptr));
      }
    }
    for (const std::vector<TensorFacts>& result : results) {
      const size_t first = is_loop ? 1 : 0;  // whether it goes on
      for (size_t i = 0; i < outputs.size() && first + i < result.size(); ++i) {
        outputs[i].traces = outputs[i].traces == nullptr ? result[first + i].traces : outputs[i].traces;
      }
    }
    if (!is_if || results.size() != 2) {
      return {};
    }
    for (size_t i = 0; i < outputs.size() && i < results[0].size() && i < results[1].size(); ++i) {
      const TensorFacts& yes = results[0][i];
      const TensorFacts& no = results[1][i];
      outputs[i].dtype = yes.dtype == no.dtype ? yes.dtype : "";
      outputs[i].shape = yes.shape == no.shape ? yes.shape : std::nullopt;
    }
    return {};
  }

  // Into the node, and where the tensor comes from outside the body, into each control-flow node around it.
  Result<void> add_edges(const onnx::NodeProto& node, int64_t id, const Scope& scope) {
    std::set<std::string_view> seen;
    for (const std::string& name : node.input()) {
      if (name.empty() || !seen.insert(name).second) {
        continue;
      }
      for (const Scope* at = &scope; at != nullptr; at = at->outer) {
        if (const auto value = at->values.find(name); value != at->values.end()) {
          for (const int64_t target : captured_by(scope, at)) {
            AACO_TRY(add_edge(value->second, target, name));
          }
          AACO_TRY(add_edge(value->second, id, name));
          break;
        }
      }
    }
    return {};
  }

  // The control-flow nodes between the scope of use and the scope of definition.
  static std::vector<int64_t> captured_by(const Scope& use, const Scope* definition) {
    std::vector<int64_t> owners;
    for (const Scope* at = &use; at != definition; at = at->outer) {
      owners.push_back(at->owner);
    }
    return owners;
  }

  Result<void> add_edge(const Value& value, int64_t consumer, const std::string& name) {
    if (value.producer == kNoProducer || !edges_.insert({value.producer, consumer, name}).second) {
      return {};
    }
    const GraphEdgeRow& row = graph_.edges.emplace_back(GraphEdgeRow{form_, value.producer, consumer, valid_utf8(name),
                                                                     shape_text(value.facts.shape), value.facts.dtype});
    return charge(sizeof row + sizeof(*edges_.begin()) + row.tensor_name.size() + row.tensor_shape.size() +
                  row.tensor_dtype.size());
  }

  const std::string& source_;
  GraphForm form_;
  const KnownShapes& known_;
  ModelGraph& graph_;
  size_t kept_bytes_ = 0;
  std::map<std::string, int64_t> symbols_;
  std::unordered_set<std::string_view> ambiguous_;
  std::set<std::tuple<int64_t, int64_t, std::string_view>> edges_;
};

}  // namespace

Result<ModelGraph> build_model_graph(const onnx::ModelProto& model, const std::string& source, GraphForm form,
                                     const KnownShapes& known) {
  ModelGraph graph;
  graph.ir_version = model.ir_version();
  graph.producer =
      valid_utf8(model.producer_name() + (model.producer_version().empty() ? "" : " " + model.producer_version()));
  for (const onnx::OperatorSetIdProto& opset : model.opset_import()) {
    graph.opsets[opset.domain().empty() ? "ai.onnx" : valid_utf8(opset.domain())] = opset.version();
  }
  Builder builder(source, form, known, graph);
  AACO_TRY(builder.build(model.graph()));
  return graph;
}

}  // namespace aaco
