// SPDX-License-Identifier: MIT
// Operators whose output has the shape of an input, or of all inputs after broadcasting.
#include <array>

#include "model/graph/shapes/shape_inference.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

std::optional<Dims> broadcast_from(const NodeView& node, size_t first, size_t count) {
  std::vector<std::optional<Dims>> shapes;
  for (size_t i = first; i < first + count; ++i) {
    shapes.push_back(node.known_shape(i));
  }
  return broadcast(shapes);
}

void same(NodeView& node) { node.set_output(0, node.dtype(0), node.known_shape(0)); }
void same_as_bool(NodeView& node) { node.set_output(0, "bool", node.known_shape(0)); }
void identity(NodeView& node) {
  if (const TensorFacts* input = node.input(0)) {
    node.output(0) = *input;
  }
}

void binary(NodeView& node) { node.set_output(0, node.dtype(0), broadcast_from(node, 0, 2)); }
void comparison(NodeView& node) { node.set_output(0, "bool", broadcast_from(node, 0, 2)); }
void n_ary(NodeView& node) { node.set_output(0, node.dtype(0), broadcast_from(node, 0, node.input_count())); }
void where(NodeView& node) { node.set_output(0, node.dtype(1), broadcast_from(node, 0, 3)); }

void cast(NodeView& node) {
  node.set_output(0, dtype_name(static_cast<int32_t>(node.integer("to", 0))), node.known_shape(0));
}
void cast_like(NodeView& node) { node.set_output(0, node.dtype(1), node.known_shape(0)); }

void dropout(NodeView& node) {
  same(node);
  node.set_output(1, "bool", node.known_shape(0));
}

void quantize(NodeView& node) {
  const std::string given = dtype_name(static_cast<int32_t>(node.integer("output_dtype", 0)));
  const std::string by_zero = node.input(2) == nullptr ? "uint8" : node.dtype(2);
  node.set_output(0, given.empty() ? by_zero : given, node.known_shape(0));
}
void dequantize(NodeView& node) { node.set_output(0, node.dtype(1), node.known_shape(0)); }
void dynamic_quantize(NodeView& node) {
  node.set_output(0, "uint8", node.known_shape(0));
  node.set_output(1, "float32", Dims{});
  node.set_output(2, "uint8", Dims{});
}

}  // namespace

std::span<const ShapeRule> elementwise_shape_rules() {
  static constexpr ShapeRule kRules[] = {{"Identity", identity},
                                         {"Dropout", dropout},
                                         {"Cast", cast},
                                         {"CastLike", cast_like},
                                         {"Where", where},
                                         {"QuantizeLinear", quantize},
                                         {"DequantizeLinear", dequantize},
                                         {"DynamicQuantizeLinear", dynamic_quantize},
                                         {"Add", binary},
                                         {"Sub", binary},
                                         {"Mul", binary},
                                         {"Div", binary},
                                         {"Pow", binary},
                                         {"Mod", binary},
                                         {"And", comparison},
                                         {"Or", comparison},
                                         {"Xor", comparison},
                                         {"BitShift", binary},
                                         {"BitwiseAnd", binary},
                                         {"BitwiseOr", binary},
                                         {"BitwiseXor", binary},
                                         {"PRelu", same},
                                         {"BiasGelu", same},
                                         {"BiasSoftmax", same},
                                         {"Equal", comparison},
                                         {"Less", comparison},
                                         {"LessOrEqual", comparison},
                                         {"Greater", comparison},
                                         {"GreaterOrEqual", comparison},
                                         {"Sum", n_ary},
                                         {"Mean", n_ary},
                                         {"Max", n_ary},
                                         {"Min", n_ary},
                                         {"Not", same_as_bool},
                                         {"IsNaN", same_as_bool},
                                         {"IsInf", same_as_bool},
                                         {"Neg", same},
                                         {"Abs", same},
                                         {"Sign", same},
                                         {"Floor", same},
                                         {"Ceil", same},
                                         {"Round", same},
                                         {"Reciprocal", same},
                                         {"Sqrt", same},
                                         {"Exp", same},
                                         {"Log", same},
                                         {"Erf", same},
                                         {"Sin", same},
                                         {"Cos", same},
                                         {"Tan", same},
                                         {"Asin", same},
                                         {"Acos", same},
                                         {"Atan", same},
                                         {"Sinh", same},
                                         {"Cosh", same},
                                         {"Tanh", same},
                                         {"Asinh", same},
                                         {"Acosh", same},
                                         {"Atanh", same},
                                         {"BitwiseNot", same},
                                         {"Relu", same},
                                         {"LeakyRelu", same},
                                         {"ThresholdedRelu", same},
                                         {"Sigmoid", same},
                                         {"HardSigmoid", same},
                                         {"Elu", same},
                                         {"Selu", same},
                                         {"Celu", same},
                                         {"Softplus", same},
                                         {"Softsign", same},
                                         {"HardSwish", same},
                                         {"Mish", same},
                                         {"Swish", same},
                                         {"Gelu", same},
                                         {"FastGelu", same},
                                         {"QuickGelu", same},
                                         {"Clip", same},
                                         {"Shrink", same},
                                         {"Softmax", same},
                                         {"LogSoftmax", same},
                                         {"Hardmax", same},
                                         {"CumSum", same},
                                         {"Trilu", same},
                                         {"ReverseSequence", same},
                                         {"ScatterND", same},
                                         {"ScatterElements", same},
                                         {"Scatter", same},
                                         {"LRN", same},
                                         {"LpNormalization", same},
                                         {"MeanVarianceNormalization", same},
                                         {"InstanceNormalization", same},
                                         {"GroupNormalization", same},
                                         {"GroupNorm", same},
                                         {"RMSNormalization", same},
                                         {"SimplifiedLayerNormalization", same},
                                         {"RotaryEmbedding", same},
                                         {"MemcpyFromHost", same},
                                         {"MemcpyToHost", same}};
  return kRules;
}

}  // namespace aaco
