// SPDX-License-Identifier: MIT
// One node while its outputs are inferred: its attributes, what is known of its inputs, and the outputs being filled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/graph/tensor_facts.h"

namespace onnx {
class AttributeProto;
class NodeProto;
}  // namespace onnx

namespace aaco {

class NodeView {
 public:
  NodeView(const onnx::NodeProto& node, const std::vector<const TensorFacts*>& inputs);

  const onnx::NodeProto& node() const { return node_; }
  size_t input_count() const { return inputs_.size(); }
  // Null when the node was not given that input.
  const TensorFacts* input(size_t index) const { return index < inputs_.size() ? inputs_[index] : nullptr; }
  // Null when the input is missing or its shape, or its values, are not known.
  const Dims* shape(size_t index) const;
  const Dims* values(size_t index) const;
  std::optional<Dims> known_shape(size_t index) const;
  // Where input `index` is a shape operand with unknown values: its length is a rank, of unknown dimensions.
  std::optional<Dims> rank_from(size_t index) const;
  std::string dtype(size_t index) const;

  const onnx::AttributeProto* attribute(const char* name) const;
  int64_t integer(const char* name, int64_t missing) const;
  std::optional<Dims> integers(const char* name) const;
  std::string text(const char* name, const std::string& missing) const;
  // From the attribute `name`, where older opsets have it, else from the constant input `index`.
  std::optional<Dims> attribute_or_input(const char* name, size_t index) const;
  // Neither the attribute nor the input is there.
  bool has_neither(const char* name, size_t index) const;

  size_t output_count() const { return outputs_.size(); }
  // Writing beyond the node's outputs is allowed and has no effect.
  TensorFacts& output(size_t index) { return index < outputs_.size() ? outputs_[index] : ignored_; }
  void set_output(size_t index, std::string dtype, std::optional<Dims> shape);
  std::vector<TensorFacts> take_outputs() { return std::move(outputs_); }

 private:
  const onnx::NodeProto& node_;
  const std::vector<const TensorFacts*>& inputs_;
  std::vector<TensorFacts> outputs_;
  TensorFacts ignored_;
};

}  // namespace aaco
