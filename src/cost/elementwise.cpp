// SPDX-License-Identifier: MIT
// Element-wise operators, activations and data movement: FLOPs per output element.
#include <algorithm>
#include <array>

#include "cost/flops_rule.h"
#include "cost/shape_arithmetic.h"

namespace aaco::cost {
namespace {

struct PerOutput {
  std::string_view op_type;
  double flops;
};

// One operation an element.
constexpr std::string_view kOnePerOutput[] = {
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Pow",
    "Mod",
    "Neg",
    "Abs",
    "Sign",
    "Floor",
    "Ceil",
    "Round",
    "Reciprocal",
    "Sqrt",
    "Exp",
    "Log",
    "Erf",
    "Sin",
    "Cos",
    "Tan",
    "Asin",
    "Acos",
    "Atan",
    "Sinh",
    "Cosh",
    "Tanh",
    "Asinh",
    "Acosh",
    "Atanh",
    "Relu",
    "ThresholdedRelu",
    "And",
    "Or",
    "Xor",
    "Not",
    "BitShift",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "BitwiseNot",
    "Equal",
    "Less",
    "LessOrEqual",
    "Greater",
    "GreaterOrEqual",
    "IsNaN",
    "IsInf",
};

// Composites: a count beside the definition that it comes from.
constexpr auto kPerOutput = std::to_array<PerOutput>({
    {"Clip", 2},       // max, min
    {"Range", 2},      // start + i delta
    {"LeakyRelu", 2},  // compare, multiply
    {"PRelu", 2},
    {"DequantizeLinear", 2},  // (x - zero) scale
    {"BiasAdd", 2},           // x + bias + skip
    {"Softplus", 3},          // log(exp(x) + 1)
    {"Softsign", 3},          // x / (1 + |x|)
    {"Sigmoid", 4},           // 1 / (1 + exp(-x))
    {"HardSigmoid", 4},       // max(0, min(1, a x + b))
    {"Elu", 4},               // compare, a (exp(x) - 1)
    {"HardSwish", 5},         // x hardsigmoid(x)
    {"Selu", 5},
    {"Mish", 5},            // x tanh(softplus(x))
    {"QuantizeLinear", 5},  // divide, round, add zero, two clamps
    {"Gelu", 5},            // x/2 (1 + erf(x / sqrt(2)))
    {"QuickGelu", 6},       // x sigmoid(a x)
    {"Swish", 6},
    {"BiasGelu", 6},
    {"Celu", 7},         // max(0, x) + min(0, a (exp(x / a) - 1))
    {"FastGelu", 8},     // x/2 (1 + tanh(x (a + b x x))), with a bias 9
    {"QLinearAdd", 10},  // two dequantised, one operation, one quantised
    {"QLinearMul", 10},
    {"QLinearLeakyRelu", 9},
    {"QLinearSigmoid", 11},
});

// Moves, selects or converts elements; computes none.
constexpr std::string_view kMovement[] = {
    "Reshape",
    "Flatten",
    "Squeeze",
    "Unsqueeze",
    "Identity",
    "Transpose",
    "Concat",
    "Split",
    "Slice",
    "Gather",
    "GatherElements",
    "GatherND",
    "Scatter",
    "Pad",
    "Tile",
    "Expand",
    "Shape",
    "Size",
    "Constant",
    "ConstantOfShape",
    "Cast",
    "CastLike",
    "BitCast",
    "Where",
    "DepthToSpace",
    "SpaceToDepth",
    "OneHot",
    "Compress",
    "Trilu",
    "EyeLike",
    "ReverseSequence",
    "Dropout",
    "MaxUnpool",
    "CenterCropPad",
    "TensorScatter",
    "SequenceAt",
    "SequenceConstruct",
    "SequenceEmpty",
    "SequenceErase",
    "SequenceInsert",
    "SequenceLength",
    "SplitToSequence",
    "ConcatFromSequence",
    "Optional",
    "OptionalGetElement",
    "OptionalHasElement",
    "MemcpyFromHost",
    "MemcpyToHost",
    "ReorderInput",
    "ReorderOutput",
    "QLinearConcat",
};

bool contains(std::span<const std::string_view> op_types, std::string_view op_type) {
  return std::find(op_types.begin(), op_types.end(), op_type) != op_types.end();
}

double per_output(std::string_view op_type) {
  if (contains(kMovement, op_type)) {
    return 0;
  }
  if (contains(kOnePerOutput, op_type)) {
    return 1;
  }
  const auto position =
      std::find_if(kPerOutput.begin(), kPerOutput.end(), [&](const PerOutput& row) { return row.op_type == op_type; });
  return position == kPerOutput.end() ? kUnknown : position->flops;
}

// Interpolation depends on how many axes are scaled and in which order; only the nearest mode is a plain move.
double resize(const OpShape& op) {
  const auto mode = op.string_attributes.find("mode");
  return mode == op.string_attributes.end() || mode->second == "nearest" ? 0 : kUnknown;
}

// Per element of the updates, which is not the number of outputs; without a reduction it is a move.
double scatter(const OpShape& op) {
  const auto reduction = op.string_attributes.find("reduction");
  return reduction == op.string_attributes.end() || reduction->second == "none"
             ? 0
             : input_elements(op, 2) / output_elements(op);
}

// One comparison a bound: inputs since opset 11, attributes with defaults before.
double clip(const OpShape& op) {
  return op.input_shapes.size() < 2 ? 2 : (has_input(op, 1) ? 1 : 0) + (has_input(op, 2) ? 1 : 0);
}

}  // namespace

double elementwise_flops_per_output(const OpShape& op) {
  const std::string& type = op.op_type;
  if (type == "Sum" || type == "Max" || type == "Min") {
    return static_cast<double>(op.input_shapes.size()) - 1;
  }
  if (type == "Clip") {
    return clip(op);
  }
  if (type == "Mean") {
    return static_cast<double>(op.input_shapes.size());
  }
  if (type == "Resize" || type == "Upsample") {
    return resize(op);
  }
  if (type == "ScatterElements" || type == "ScatterND") {
    return scatter(op);
  }
  if (type == "Gelu" && op.string_attributes.contains("approximate") &&
      op.string_attributes.at("approximate") == "tanh") {
    return per_output("FastGelu");
  }
  if (type == "FastGelu" && has_input(op, 1)) {
    return per_output("FastGelu") + 1;
  }
  return per_output(type);
}

double fused_activation_flops(const OpShape& op) {
  const auto activation = op.string_attributes.find("activation");
  return activation == op.string_attributes.end() || activation->second.empty() ? 0 : per_output(activation->second);
}

}  // namespace aaco::cost
