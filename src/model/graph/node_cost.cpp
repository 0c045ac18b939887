// SPDX-License-Identifier: MIT
#include "model/graph/node_cost.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <string_view>

#include "base/json/json.h"
#include "cost/onnx_cost.h"
#include "model/graph/declared_types.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

template <class Names>
std::string json_list(const Names& names) {
  Json list = Json::array();
  for (const std::string& name : names) {
    list.push_back(valid_utf8(name));
  }
  return list.dump();
}

Dims cost_shape(const TensorFacts& facts) { return facts.shape.value_or(Dims{kUnknownDim}); }

void add_attributes(const onnx::NodeProto& node, OpShape& op) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.ints_size() > 0) {
      op.int_attributes[attribute.name()] = {attribute.ints().begin(), attribute.ints().end()};
    } else if (attribute.has_i()) {
      op.int_attributes[attribute.name()] = {attribute.i()};
    } else if (attribute.has_s()) {
      op.string_attributes[attribute.name()] = attribute.s();
    } else if (attribute.type() == onnx::AttributeProto::STRINGS) {
      op.string_attributes[attribute.name()] = fmt::format("{}", fmt::join(attribute.strings(), ","));
    }
  }
}

OpShape op_shape(const onnx::NodeProto& node, const std::vector<const TensorFacts*>& inputs,
                 const std::vector<TensorFacts>& outputs) {
  OpShape op;
  op.op_type = node.op_type();
  op.domain = node.domain();
  add_attributes(node, op);
  for (const TensorFacts* input : inputs) {
    op.input_shapes.push_back(input == nullptr ? Dims{} : cost_shape(*input));
    op.input_dtypes.push_back(input == nullptr ? std::string(kOmittedTensor) : input->dtype);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool omitted = node.output(static_cast<int>(i)).empty();
    op.output_shapes.push_back(omitted ? Dims{} : cost_shape(outputs[i]));
    op.output_dtypes.push_back(omitted ? std::string(kOmittedTensor) : outputs[i].dtype);
  }
  return op;
}

// A tensor that a node takes twice is read once.
void omit_repeated_inputs(const onnx::NodeProto& node, OpShape& op) {
  std::set<std::string_view> seen;
  for (int i = 0; i < node.input_size(); ++i) {
    if (!node.input(i).empty() && !seen.insert(node.input(i)).second) {
      op.input_dtypes[static_cast<size_t>(i)] = kOmittedTensor;
    }
  }
}

}  // namespace

void fill_cost(const onnx::NodeProto& node, const std::vector<const TensorFacts*>& inputs,
               const std::vector<TensorFacts>& outputs, GraphNodeRow& row) {
  row.inputs = json_list(node.input());
  row.outputs = json_list(node.output());
  for (size_t i = 0; i < inputs.size(); ++i) {
    row.input_shapes += (i == 0 ? "" : ";") + (inputs[i] == nullptr ? "" : shape_text(inputs[i]->shape));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool omitted = node.output(static_cast<int>(i)).empty();
    row.output_shapes += (i == 0 ? "" : ";") + (omitted ? "" : shape_text(outputs[i].shape));
  }
  row.dtype = outputs.empty() ? "" : outputs.front().dtype;
  OpShape op = op_shape(node, inputs, outputs);
  row.flops = op_flops(op);
  omit_repeated_inputs(node, op);
  row.bytes = op_bytes(op);
}

}  // namespace aaco
