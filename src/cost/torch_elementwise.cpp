// SPDX-License-Identifier: MIT
// Element-wise operators of PyTorch, copies and fills: the ONNX operators that one element takes, one after the other.
#include <algorithm>
#include <array>
#include <cstddef>

#include "cost/torch_rule.h"

namespace aaco::cost {
namespace {

struct ElementwiseRule {
  std::string_view name;  // without the underscore of the form in place
  size_t tensors;         // it reads at most: what follows is where the result goes
  std::array<std::string_view, 2> onnx = {};
  double more = 0;  // operations an element that no ONNX operator stands for
  bool gives_bool = false;
};

constexpr auto kElementwise = std::to_array<ElementwiseRule>({
    {"aten::add", 2, {"Add"}},
    {"aten::sub", 2, {"Sub"}},
    {"aten::rsub", 2, {"Sub"}},
    {"aten::mul", 2, {"Mul"}},
    {"aten::div", 2, {"Div"}},
    {"aten::true_divide", 2, {"Div"}},
    {"aten::floor_divide", 2, {"Div", "Floor"}},
    {"aten::remainder", 2, {"Mod"}},
    {"aten::fmod", 2, {"Mod"}},
    {"aten::pow", 2, {"Pow"}},
    {"aten::maximum", 2, {}, 1},
    {"aten::minimum", 2, {}, 1},
    {"aten::neg", 1, {"Neg"}},
    {"aten::abs", 1, {"Abs"}},
    {"aten::sign", 1, {"Sign"}},
    {"aten::floor", 1, {"Floor"}},
    {"aten::ceil", 1, {"Ceil"}},
    {"aten::round", 1, {"Round"}},
    {"aten::reciprocal", 1, {"Reciprocal"}},
    {"aten::sqrt", 1, {"Sqrt"}},
    {"aten::rsqrt", 1, {"Sqrt", "Reciprocal"}},
    {"aten::exp", 1, {"Exp"}},
    {"aten::log", 1, {"Log"}},
    {"aten::erf", 1, {"Erf"}},
    {"aten::sin", 1, {"Sin"}},
    {"aten::cos", 1, {"Cos"}},
    {"aten::tan", 1, {"Tan"}},
    {"aten::tanh", 1, {"Tanh"}},
    {"aten::sigmoid", 1, {"Sigmoid"}},
    {"aten::relu", 1, {"Relu"}},
    {"aten::leaky_relu", 1, {"LeakyRelu"}},
    {"aten::clamp", 1, {"Clip"}},
    {"aten::hardtanh", 1, {"Clip"}},
    {"aten::clamp_min", 1, {"Relu"}},
    {"aten::clamp_max", 1, {"Relu"}},
    {"aten::elu", 1, {"Elu"}},
    {"aten::gelu", 1, {"Gelu"}},
    {"aten::silu", 1, {"Sigmoid", "Mul"}},
    {"aten::mish", 1, {"Mish"}},
    {"aten::softplus", 1, {"Softplus"}},
    {"aten::hardswish", 1, {"HardSwish"}},
    {"aten::hardsigmoid", 1, {"HardSigmoid"}},
    {"aten::addcmul", 3, {"Mul", "Add"}, 1},
    {"aten::addcdiv", 3, {"Div", "Add"}, 1},
    {"aten::lerp", 3, {"Sub", "Add"}, 1},
    {"aten::mse_loss", 2, {"Sub", "Mul"}},
    {"aten::eq", 2, {"Equal"}, 0, true},
    {"aten::ne", 2, {"Equal"}, 0, true},
    {"aten::lt", 2, {"Less"}, 0, true},
    {"aten::le", 2, {"LessOrEqual"}, 0, true},
    {"aten::gt", 2, {"Greater"}, 0, true},
    {"aten::ge", 2, {"GreaterOrEqual"}, 0, true},
    {"aten::logical_and", 2, {"And"}, 0, true},
    {"aten::logical_or", 2, {"Or"}, 0, true},
    {"aten::logical_not", 1, {"Not"}, 0, true},
    {"aten::isnan", 1, {"IsNaN"}, 0, true},
    {"aten::isinf", 1, {"IsInf"}, 0, true},
    {"aten::isneginf", 1, {"IsInf"}, 0, true},
    {"aten::bitwise_and", 2, {"BitwiseAnd"}},
    {"aten::bitwise_or", 2, {"BitwiseOr"}},
    {"aten::bitwise_xor", 2, {"BitwiseXor"}},
    {"aten::bitwise_not", 1, {"BitwiseNot"}},
    {"aten::where", 3, {"Where"}},
    {"aten::masked_fill", 2, {"Where"}},
    // Gradients. Each operation of: dy (x > 0); dy y' of the definition in elementwise.cpp.
    {"aten::threshold_backward", 2, {"Greater"}},
    {"aten::sigmoid_backward", 2, {}, 3},                 // dy (1 - y) y
    {"aten::tanh_backward", 2, {}, 3},                    // dy (1 - y y)
    {"aten::silu_backward", 2, {"Sigmoid"}, 5},           // dy s (1 + x (1 - s))
    {"aten::gelu_backward", 2, {"Erf", "Exp"}, 9},        // dy ((1 + erf(x a)) / 2 + x b exp(-x x / 2))
    {"aten::_softmax_backward_data", 2, {}, 4},           // y (dy - sum(dy y))
    {"aten::_log_softmax_backward_data", 2, {"Exp"}, 3},  // dy - exp(y) sum(dy)
    {"aten::native_dropout_backward", 2, {}, 2},          // dy mask scale
});

// What is written has the shape of the first argument; what is read is argument `from`, if any.
struct MoveRule {
  std::string_view name;
  bool reads_first;
  bool reads_second;
};
constexpr auto kMoves = std::to_array<MoveRule>({
    {"aten::copy_", false, true},
    {"aten::clone", true, false},
    {"aten::contiguous", true, false},
    {"aten::fill_", false, false},
    {"aten::zero_", false, false},
    {"aten::flip", true, false},
    {"aten::roll", true, false},
    {"aten::triu", true, false},
    {"aten::tril", true, false},
});

// As PyTorch's promotion has it: of tensors with dimensions, and only where they are of a lower class than one without
// (bool, whole numbers, floating point, complex) the default of that class. Two half types give single precision.
int class_of(std::string_view dtype) {
  return dtype == "bool"                                         ? 0
         : dtype.starts_with("int") || dtype.starts_with("uint") ? 1
         : dtype.starts_with("complex")                          ? 3
                                                                 : 2;
}

std::string_view promoted(std::string_view a, std::string_view b) {
  if (a.empty() || a == b) {
    return a.empty() ? b : a;
  }
  if (b.empty() || class_of(a) != class_of(b)) {
    return b.empty() || class_of(a) > class_of(b) ? a : b;
  }
  const double of_a = dtype_bytes(a).value_or(0);
  const double of_b = dtype_bytes(b).value_or(0);
  return of_a == of_b ? std::string_view("float32") : of_a > of_b ? a : b;
}

std::string_view result_dtype(const std::vector<Operand>& read) {
  std::string_view with_dimensions;
  std::string_view without;
  for (const Operand& operand : read) {
    std::string_view& so_far = operand.shape.empty() ? without : with_dimensions;
    so_far = promoted(so_far, operand.dtype);
  }
  if (with_dimensions.empty() || without.empty() || class_of(without) <= class_of(with_dimensions)) {
    return with_dimensions.empty() ? without : with_dimensions;
  }
  return class_of(without) == 1 ? "int64" : class_of(without) == 2 ? "float32" : "complex64";
}

CallWork elementwise_work(const TorchCall& call, const ElementwiseRule& rule, bool in_place) {
  std::vector<Operand> read;
  Shape shape;
  for (size_t i = 0; i < call.arguments.size() && read.size() < rule.tensors; ++i) {
    if (const TorchArgument* argument = tensor(call, i)) {
      const auto wider = broadcast(shape, argument->shapes.front());
      if (!wider) {
        return unknown_work(OpFamily::kElementwise, "its shapes do not fit together");
      }
      shape = *wider;
      read.push_back(operand(*argument));
    }
  }
  if (read.empty()) {
    return unknown_work(OpFamily::kElementwise, "the shapes of its arguments are not recorded");
  }
  CallWork work;
  work.family = OpFamily::kElementwise;
  work.backward = rule.name.find("_backward") != std::string_view::npos;
  const std::string_view computed = result_dtype(read);
  work.dtype = computed;
  const Operand written{in_place ? read.front().shape : shape, in_place          ? read.front().dtype
                                                               : rule.gives_bool ? std::string_view("bool")
                                                                                 : computed};
  work.flops = rule.more * op_flops(op_shape("Neg", {}, {written})).value_or(0);
  for (const std::string_view onnx : rule.onnx) {
    const auto flops = onnx.empty() ? std::optional(0.0) : op_flops(op_shape(onnx, {}, {written}));
    work.flops = flops && work.flops ? std::optional(*work.flops + *flops) : std::nullopt;
  }
  set_bytes(work, read, {written});
  return work;
}

CallWork move_work(const TorchCall& call, const MoveRule& rule) {
  const TorchArgument* first = tensor(call, 0);
  const TorchArgument* second = tensor(call, 1);
  if (first == nullptr || (rule.reads_second && second == nullptr)) {
    return unknown_work(OpFamily::kMovement, "the shapes of its arguments are not recorded");
  }
  CallWork work;
  work.family = OpFamily::kMovement;
  work.dtype = first->dtype;
  work.flops = 0;
  std::vector<Operand> read;
  if (rule.reads_first) {
    read.push_back(operand(*first));
  }
  if (rule.reads_second) {
    read.push_back(operand(*second));
  }
  set_bytes(work, read, {operand(*first)});
  return work;
}

}  // namespace

std::optional<CallWork> torch_elementwise(const TorchCall& call) {
  for (const MoveRule& rule : kMoves) {
    if (rule.name == call.name) {
      return move_work(call, rule);
    }
  }
  const bool in_place = call.name.ends_with('_');
  const std::string_view name = std::string_view(call.name).substr(0, call.name.size() - (in_place ? 1 : 0));
  for (const ElementwiseRule& rule : kElementwise) {
    if (rule.name == name) {
      return elementwise_work(call, rule, in_place);
    }
  }
  return std::nullopt;
}

}  // namespace aaco::cost
