// SPDX-License-Identifier: MIT
// Reductions, softmax and normalisations of PyTorch and of the libraries beside it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "cost/torch_rule.h"

namespace aaco::cost {
namespace {

constexpr size_t kNone = SIZE_MAX;

// What folds axes of its first argument.
struct ReductionRule {
  std::string_view name;
  std::string_view onnx;
  size_t axes = 1;                                       // the argument that names them; left out or empty: all
  std::optional<std::string_view> dtype = std::nullopt;  // of the result where it is not the argument's
  bool with_indices = false;                             // a second result, where an axis is named
  size_t dtype_index = kNone;
};

constexpr auto kReductions = std::to_array<ReductionRule>({
    {"aten::sum", "ReduceSum", 1, {}, false, 3},
    {"aten::mean", "ReduceMean", 1, {}, false, 3},
    {"aten::amax", "ReduceMax"},
    {"aten::amin", "ReduceMin"},
    {"aten::max", "ReduceMax", 1, {}, true},
    {"aten::min", "ReduceMin", 1, {}, true},
    {"aten::prod", "ReduceProd"},
    {"aten::argmax", "ArgMax", 1, "int64"},
    {"aten::argmin", "ArgMin", 1, "int64"},
    {"aten::all", "ReduceMin", 1, "bool"},
    {"aten::any", "ReduceMax", 1, "bool"},
    {"aten::logsumexp", "ReduceLogSumExp"},
    {"aten::norm", "ReduceL2", 2},
    {"aten::linalg_norm", "ReduceL2", 2},
    {"aten::linalg_vector_norm", "ReduceL2", 2},
});

// What gives as much as it takes. The arguments that it reads, and those whose shapes its results have.
struct SameShapeRule {
  std::string_view name;
  OpFamily family;
  std::string_view onnx;  // of the first result's shape
  std::array<size_t, 5> reads;
  std::array<size_t, 2> writes = {0, kNone};
  double more = 0;  // operations an element beside those of `onnx`
  size_t dtype_index = kNone;
};

constexpr OpFamily kNorm = OpFamily::kNormalization;
constexpr OpFamily kFold = OpFamily::kReduction;
// The gradient of a normalisation, an element: the normalised value again (2), the sums of dy and of dy x' (3), dy
// times the weight (1), the two means of a row (3), and their part taken away (4).
constexpr double kNormGradient = 13;

constexpr auto kSameShape = std::to_array<SameShapeRule>({
    {"aten::softmax", kFold, "Softmax", {0, kNone, kNone, kNone, kNone}, {0, kNone}, 0, 2},
    {"aten::_softmax", kFold, "Softmax", {0, kNone, kNone, kNone, kNone}},
    {"aten::log_softmax", kFold, "LogSoftmax", {0, kNone, kNone, kNone, kNone}, {0, kNone}, 0, 2},
    {"aten::_log_softmax", kFold, "LogSoftmax", {0, kNone, kNone, kNone, kNone}},
    {"aten::cumsum", kFold, "CumSum", {0, kNone, kNone, kNone, kNone}, {0, kNone}, 0, 2},
    {"aten::layer_norm", kNorm, "LayerNormalization", {0, 2, 3, kNone, kNone}},
    {"aten::native_layer_norm", kNorm, "LayerNormalization", {0, 2, 3, kNone, kNone}},
    {"aten::native_group_norm", kNorm, "GroupNormalization", {0, 1, 2, kNone, kNone}},
    {"aten::group_norm", kNorm, "GroupNormalization", {0, 2, 3, kNone, kNone}},
    {"aten::instance_norm", kNorm, "InstanceNormalization", {0, 1, 2, 3, 4}},
    {"aten::rms_norm", kNorm, "RMSNormalization", {0, 2, kNone, kNone, kNone}},
    {"aten::_fused_rms_norm", kNorm, "RMSNormalization", {0, 2, kNone, kNone, kNone}},
    {"aiter::rmsnorm", kNorm, "RMSNormalization", {1, 2, kNone, kNone, kNone}},
    {"aiter::add_rmsnorm", kNorm, "SkipSimplifiedLayerNormalization", {1, 2, 4, kNone, kNone}, {0, 3}},
    {"sgl_kernel::silu_and_mul", OpFamily::kElementwise, "Sigmoid", {1, kNone, kNone, kNone, kNone}, {0, kNone}, 2},
    {"aten::native_layer_norm_backward", kNorm, "", {0, 1, 5, 6, kNone}, {1, kNone}, kNormGradient},
    {"aten::native_group_norm_backward", kNorm, "", {0, 1, 4, kNone, kNone}, {1, kNone}, kNormGradient},
    {"aten::native_batch_norm_backward", kNorm, "", {0, 1, 2, kNone, kNone}, {1, kNone}, kNormGradient},
    {"aten::cudnn_batch_norm_backward", kNorm, "", {0, 1, 2, kNone, kNone}, {0, kNone}, kNormGradient},
    {"aten::miopen_batch_norm_backward", kNorm, "", {0, 1, 2, kNone, kNone}, {0, kNone}, kNormGradient},
    {"aten::_fused_rms_norm_backward", kNorm, "", {0, 1, 4, kNone, kNone}, {1, kNone}, 11},  // no mean
});

// input, weight, bias, running mean, running variance, training
constexpr std::string_view kBatchNorm[] = {"aten::batch_norm", "aten::native_batch_norm", "aten::cudnn_batch_norm",
                                           "aten::miopen_batch_norm"};

std::optional<Shape> folded(const Shape& shape, const std::vector<int64_t>& axes) {
  if (axes.empty()) {
    return Shape{};
  }
  Shape rest = shape;
  for (const int64_t axis : axes) {
    const int64_t rank = static_cast<int64_t>(shape.size());
    if (axis < -rank || axis >= rank) {
      return std::nullopt;
    }
    rest[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = 1;
  }
  return rest;
}

CallWork reduction_work(const TorchCall& call, const ReductionRule& rule) {
  const TorchArgument* input = tensor(call, 0);
  if (input == nullptr) {
    return unknown_work(kFold, "the shape of its argument is not recorded");
  }
  // Which axes: a single argument has none to name. A tensor in their place makes it another operator.
  const bool only_one = call.arguments.size() <= rule.axes;
  if (!only_one && (!call.arguments[rule.axes].value || tensor(call, rule.axes) != nullptr)) {
    return unknown_work(kFold, "the axes that it folds are not recorded");
  }
  const auto axes = only_one || call.arguments[rule.axes].value->empty() ? std::optional(std::vector<int64_t>())
                                                                         : integers(call, rule.axes);
  const auto shape = axes ? folded(input->shapes.front(), *axes) : std::nullopt;
  if (!shape) {
    return unknown_work(kFold, "the axes that it folds do not fit its shape");
  }
  CallWork work;
  work.family = kFold;
  work.dtype = input->dtype;
  std::string_view dtype = rule.dtype.value_or(input->dtype);
  dtype = rule.dtype_index == kNone ? dtype : dtype_argument(call, rule.dtype_index, dtype);
  const Operand result{*shape, dtype};
  work.flops = op_flops(op_shape(rule.onnx, {operand(*input)}, {result}));
  std::vector<Operand> written{result};
  if (rule.with_indices && !axes->empty()) {
    written.push_back({*shape, "int64"});
  }
  set_bytes(work, {operand(*input)}, written);
  return work;
}

CallWork same_shape_work(const TorchCall& call, const SameShapeRule& rule) {
  std::vector<Operand> read;
  for (const size_t index : rule.reads) {
    if (const TorchArgument* argument = index == kNone ? nullptr : tensor(call, index)) {
      read.push_back(operand(*argument));
    }
  }
  const TorchArgument* like = tensor(call, rule.writes.front());
  if (like == nullptr || tensor(call, rule.reads.front()) == nullptr) {
    return unknown_work(rule.family, "the shapes of its arguments are not recorded");
  }
  CallWork work;
  work.family = rule.family;
  work.backward = rule.name.ends_with("_backward");
  work.dtype = like->dtype;
  std::vector<Operand> written{operand(*like)};
  if (rule.dtype_index != kNone) {
    written.front().dtype = dtype_argument(call, rule.dtype_index, like->dtype);
  }
  // The formulas ask for the first input's elements, and whether a bias is there.
  std::vector<Operand> inputs = read;
  inputs.front().shape = like->shapes.front();
  const auto flops = rule.onnx.empty() ? std::optional(0.0) : op_flops(op_shape(rule.onnx, inputs, written));
  const auto elements = op_flops(op_shape("Neg", {}, written));
  work.flops = flops && elements ? std::optional(*flops + rule.more * *elements) : std::nullopt;
  if (const TorchArgument* second = rule.writes[1] == kNone ? nullptr : tensor(call, rule.writes[1])) {
    written.push_back(operand(*second));
  }
  set_bytes(work, read, written);
  return work;
}

CallWork batch_norm_work(const TorchCall& call) {
  const TorchArgument* input = tensor(call, 0);
  const auto training = boolean(call, 5);
  if (input == nullptr || !training) {
    return unknown_work(kNorm, "its shape, or whether it trains, is not recorded");
  }
  CallWork work;
  work.family = kNorm;
  work.dtype = input->dtype;
  // In training it computes the statistics too, as normalisations of an instance do.
  work.flops = op_flops(
      op_shape(*training ? "InstanceNormalization" : "BatchNormalization", {operand(*input)}, {operand(*input)}));
  set_bytes(work, all_tensors(call), {operand(*input)});
  return work;
}

}  // namespace

std::optional<CallWork> torch_reduction(const TorchCall& call) {
  for (const ReductionRule& rule : kReductions) {
    if (rule.name == call.name) {
      return reduction_work(call, rule);
    }
  }
  for (const SameShapeRule& rule : kSameShape) {
    if (rule.name == call.name) {
      return same_shape_work(call, rule);
    }
  }
  const bool batch_norm = std::find(std::begin(kBatchNorm), std::end(kBatchNorm), call.name) != std::end(kBatchNorm);
  return batch_norm ? std::optional(batch_norm_work(call)) : std::nullopt;
}

}  // namespace aaco::cost
