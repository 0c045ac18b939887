// SPDX-License-Identifier: MIT
#include "model/graph/shapes/trip_count.h"

#include <algorithm>
#include <string>

#include "model/graph/node_view.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

std::optional<int64_t> constant(const NodeView& view, size_t index) {
  const Dims* values = view.values(index);
  return values != nullptr && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
}

bool is_constant_true(const onnx::GraphProto& body, const std::string& name) {
  for (const onnx::TensorProto& tensor : body.initializer()) {
    if (tensor.name() == name) {
      const TensorFacts facts = facts_of(tensor);
      return facts.values && facts.values->size() == 1 && facts.values->front() != 0;
    }
  }
  for (const onnx::NodeProto& node : body.node()) {
    if (node.op_type() == "Constant" && node.output_size() == 1 && node.output(0) == name &&
        node.attribute_size() == 1) {
      const TensorFacts facts = facts_of(node.attribute(0).t());
      return facts.values && facts.values->size() == 1 && facts.values->front() != 0;
    }
  }
  return false;
}

// A body's first output says whether to go on: true as a constant, or its own condition handed on.
bool always_goes_on(const onnx::GraphProto& body) {
  if (body.output_size() == 0 || body.input_size() < 2) {
    return false;
  }
  std::string name = body.output(0).name();
  for (int steps = 0; steps <= body.node_size(); ++steps) {
    if (name == body.input(1).name() || is_constant_true(body, name)) {
      return true;
    }
    const auto maker = std::ranges::find_if(body.node(), [&](const onnx::NodeProto& node) {
      return node.op_type() == "Identity" && node.input_size() == 1 && node.output_size() == 1 &&
             node.output(0) == name;
    });
    if (maker == body.node().end()) {
      return false;
    }
    name = maker->input(0);
  }
  return false;
}

std::optional<double> loop_count(const NodeView& view, const onnx::GraphProto& body) {
  const std::optional<int64_t> trips = constant(view, 0);
  const bool begins = view.input(1) == nullptr || constant(view, 1).value_or(0) != 0;
  return trips && *trips >= 0 && begins && always_goes_on(body) ? std::optional(static_cast<double>(*trips))
                                                                : std::nullopt;
}

// The scanned inputs are the last ones; all have the same length.
std::optional<double> scan_count(const NodeView& view) {
  const int64_t scanned = view.integer("num_scan_inputs", 0);
  if (scanned < 1 || scanned > static_cast<int64_t>(view.input_count())) {
    return std::nullopt;
  }
  const Dims* shape = view.shape(view.input_count() - static_cast<size_t>(scanned));
  const int64_t axis = view.integers("scan_input_axes").value_or(Dims{0}).front();
  const auto position = shape == nullptr ? std::nullopt : axis_position(axis, shape->size());
  return position && (*shape)[*position] >= 0 ? std::optional(static_cast<double>((*shape)[*position])) : std::nullopt;
}

}  // namespace

std::optional<double> fixed_trip_count(const onnx::NodeProto& node, const onnx::AttributeProto& body,
                                       const std::vector<const TensorFacts*>& inputs) {
  const NodeView view(node, inputs);
  if (node.op_type() == "If") {
    const std::optional<int64_t> condition = constant(view, 0);
    return condition ? std::optional((*condition != 0) == (body.name() == "then_branch") ? 1.0 : 0.0) : std::nullopt;
  }
  if (node.op_type() == "Loop") {
    return loop_count(view, body.g());
  }
  return node.op_type() == "Scan" ? scan_count(view) : std::nullopt;
}

}  // namespace aaco
