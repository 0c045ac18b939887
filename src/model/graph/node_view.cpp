// SPDX-License-Identifier: MIT
#include "model/graph/node_view.h"

#include <utility>

#include "onnx.pb.h"

namespace aaco {

NodeView::NodeView(const onnx::NodeProto& node, const std::vector<const TensorFacts*>& inputs)
    : node_(node), inputs_(inputs), outputs_(static_cast<size_t>(node.output_size())) {}

const Dims* NodeView::shape(size_t index) const {
  const TensorFacts* facts = input(index);
  return facts != nullptr && facts->shape ? &*facts->shape : nullptr;
}

const Dims* NodeView::values(size_t index) const {
  const TensorFacts* facts = input(index);
  return facts != nullptr ? facts->values.get() : nullptr;
}

std::optional<Dims> NodeView::known_shape(size_t index) const {
  const Dims* known = shape(index);
  return known == nullptr ? std::nullopt : std::optional(*known);
}

std::optional<Dims> NodeView::rank_from(size_t index) const {
  const Dims* operand = shape(index);
  return operand != nullptr && operand->size() == 1 ? unknown_of_rank(operand->front()) : std::nullopt;
}

std::string NodeView::dtype(size_t index) const {
  const TensorFacts* facts = input(index);
  return facts == nullptr ? "" : facts->dtype;
}

const onnx::AttributeProto* NodeView::attribute(const char* name) const {
  for (const onnx::AttributeProto& attribute : node_.attribute()) {
    if (attribute.name() == name) {
      return &attribute;
    }
  }
  return nullptr;
}

int64_t NodeView::integer(const char* name, int64_t missing) const {
  const onnx::AttributeProto* attribute_proto = attribute(name);
  return attribute_proto == nullptr ? missing : attribute_proto->i();
}

std::optional<Dims> NodeView::integers(const char* name) const {
  const onnx::AttributeProto* attribute_proto = attribute(name);
  return attribute_proto == nullptr
             ? std::nullopt
             : std::optional<Dims>({attribute_proto->ints().begin(), attribute_proto->ints().end()});
}

std::string NodeView::text(const char* name, const std::string& missing) const {
  const onnx::AttributeProto* attribute_proto = attribute(name);
  return attribute_proto == nullptr ? missing : attribute_proto->s();
}

std::optional<Dims> NodeView::attribute_or_input(const char* name, size_t index) const {
  if (std::optional<Dims> dims = integers(name)) {
    return dims;
  }
  const Dims* dims = values(index);
  return dims == nullptr ? std::nullopt : std::optional(*dims);
}

bool NodeView::has_neither(const char* name, size_t index) const {
  return attribute(name) == nullptr && input(index) == nullptr;
}

void NodeView::set_output(size_t index, std::string dtype, std::optional<Dims> shape) {
  output(index).dtype = std::move(dtype);
  output(index).shape = std::move(shape);
}

}  // namespace aaco
