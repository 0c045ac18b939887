// SPDX-License-Identifier: MIT
// What selects rows of a table in PyTorch, each as ONNX's Gather, and what many tensors at once are put through.
#include <array>

#include "cost/torch_rule.h"

namespace aaco::cost {
namespace {

CallWork gather_work(const Operand& table, const Operand& index, const Shape& result) {
  CallWork work;
  work.family = OpFamily::kMovement;
  work.dtype = table.dtype;
  const OpShape op = op_shape("Gather", {table, index}, {{result, table.dtype}});
  work.flops = op_flops(op);
  work.bytes = op_bytes(op);
  work.missing = work.bytes ? "" : "the type of a tensor is not recorded or not known";
  return work;
}

// weight, indices
std::optional<CallWork> embedding(const TorchCall& call) {
  const TorchArgument* table = tensor(call, 0);
  const TorchArgument* index = tensor(call, 1);
  if (table == nullptr || index == nullptr || table->shapes.front().size() != 2) {
    return std::nullopt;
  }
  Shape result = index->shapes.front();
  result.push_back(table->shapes.front()[1]);
  return gather_work(operand(*table), operand(*index), result);
}

// self, axis, index
std::optional<CallWork> index_select(const TorchCall& call) {
  const TorchArgument* table = tensor(call, 0);
  const TorchArgument* index = tensor(call, 2);
  const auto axis = integer(call, 1);
  if (table == nullptr || index == nullptr || !axis || index->shapes.front().size() > 1) {
    return std::nullopt;
  }
  Shape result = table->shapes.front();
  const int64_t rank = static_cast<int64_t>(result.size());
  if (*axis < -rank || *axis >= rank) {
    return std::nullopt;
  }
  result[static_cast<size_t>(*axis < 0 ? *axis + rank : *axis)] =
      index->shapes.front().empty() ? 1 : index->shapes.front()[0];
  return gather_work(operand(*table), operand(*index), result);
}

// self, axis, index
std::optional<CallWork> gather(const TorchCall& call) {
  const TorchArgument* table = tensor(call, 0);
  const TorchArgument* index = tensor(call, 2);
  return table == nullptr || index == nullptr
             ? std::nullopt
             : std::optional(gather_work(operand(*table), operand(*index), index->shapes.front()));
}

// gradient, indices, rows of the table: an addition for each element of the gradient, and the whole table written.
std::optional<CallWork> embedding_backward(const TorchCall& call) {
  const TorchArgument* gradient = tensor(call, 0);
  const TorchArgument* index = tensor(call, 1);
  const auto rows = integer(call, 2);
  if (gradient == nullptr || index == nullptr || !rows || gradient->shapes.front().empty()) {
    return std::nullopt;
  }
  CallWork work;
  work.family = OpFamily::kMovement;
  work.backward = true;
  work.dtype = gradient->dtype;
  work.flops = op_flops(op_shape("Add", {}, {operand(*gradient)}));
  set_bytes(work, {operand(*gradient), operand(*index)}, {{{*rows, gradient->shapes.front().back()}, gradient->dtype}});
  return work;
}

struct SelectionRule {
  std::string_view name;
  std::optional<CallWork> (*work)(const TorchCall& call);
};
constexpr auto kSelections = std::to_array<SelectionRule>({
    {"aten::embedding", embedding},
    {"aten::index_select", index_select},
    {"aten::gather", gather},
    {"aten::embedding_dense_backward", embedding_backward},
});

struct ListRule {
  std::string_view name;
  double operations;  // an element of the first list
};
// Steps of optimisers. Adam: both moments (3 and 4), their corrections (2), root, epsilon, quotient, step and the
// weight (5); AdamW decays the weight before (2).
constexpr auto kLists = std::to_array<ListRule>({
    {"aten::_foreach_add_", 1},     {"aten::_foreach_add", 1},
    {"aten::_foreach_sub_", 1},     {"aten::_foreach_mul_", 1},
    {"aten::_foreach_mul", 1},      {"aten::_foreach_div_", 1},
    {"aten::_foreach_div", 1},      {"aten::_foreach_sqrt", 1},
    {"aten::_foreach_sqrt_", 1},    {"aten::_foreach_neg", 1},
    {"aten::_foreach_lerp_", 3},    {"aten::_foreach_addcmul_", 3},
    {"aten::_foreach_addcdiv_", 3}, {"aten::_foreach_copy_", 0},
    {"aten::_foreach_zero_", 0},    {"aten::_foreach_norm", 2},
    {"aten::_fused_sgd_", 4},       {"aten::_fused_adam_", 14},
    {"aten::_fused_adamw_", 16},    {"aten::_amp_foreach_non_finite_check_and_unscale_", 2},
});

CallWork list_work(const TorchCall& call, const ListRule& rule) {
  CallWork work;
  work.family = OpFamily::kElementwise;
  // A list has no element type on record, so that its bytes are never known.
  work.missing = "of a list of tensors the element type is not recorded";
  if (call.arguments.empty() || call.arguments[0].kind != TorchArgument::Kind::kTensorList ||
      call.arguments[0].shapes.empty()) {
    work.missing = "the shapes of its lists of tensors are not recorded";
    return work;
  }
  work.flops = 0;
  for (const Shape& shape : call.arguments[0].shapes) {
    const auto elements = op_flops(op_shape("Neg", {}, {{shape, {}}}));
    work.flops = elements && work.flops ? std::optional(*work.flops + rule.operations * *elements) : std::nullopt;
  }
  return work;
}

}  // namespace

std::optional<CallWork> torch_selection(const TorchCall& call) {
  for (const SelectionRule& rule : kSelections) {
    if (rule.name == call.name) {
      const auto work = rule.work(call);
      return work ? work : std::optional(unknown_work(OpFamily::kMovement, "its shapes or its axis are not recorded"));
    }
  }
  return std::nullopt;
}

std::optional<CallWork> torch_tensor_lists(const TorchCall& call) {
  for (const ListRule& rule : kLists) {
    if (rule.name == call.name) {
      return list_work(call, rule);
    }
  }
  return call.name == "aten::cat" || call.name == "aten::stack"
             ? std::optional(unknown_work(OpFamily::kMovement, "of a list of tensors the element type is not recorded"))
             : std::nullopt;
}

}  // namespace aaco::cost
