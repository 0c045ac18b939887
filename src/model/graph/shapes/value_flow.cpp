// SPDX-License-Identifier: MIT
// How values of the model's inputs reach other tensors: copied, moved, or by integer arithmetic with constants.
#include <algorithm>
#include <array>
#include <string_view>

#include "model/graph/shapes/shape_inference.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

using Trace = InputTrace;
using Traces = std::vector<Trace>;

// Of what many inputs flow into, the first ones are enough to tell.
constexpr size_t kMostTraces = 8;
constexpr int64_t kLargestFactor = int64_t{1} << 31;

enum class Flow { kSame, kMoved, kAdd, kSubtract, kMultiply, kDivide, kRemainder, kBound, kBranch, kReduced, kMixed };

struct FlowRule {
  std::string_view op_type;
  Flow flow;
};

constexpr std::array kRules{FlowRule{"Identity", Flow::kSame},
                            FlowRule{"Cast", Flow::kSame},
                            FlowRule{"CastLike", Flow::kSame},
                            FlowRule{"Squeeze", Flow::kMoved},
                            FlowRule{"Unsqueeze", Flow::kMoved},
                            FlowRule{"Reshape", Flow::kMoved},
                            FlowRule{"Flatten", Flow::kMoved},
                            FlowRule{"Transpose", Flow::kMoved},
                            FlowRule{"Slice", Flow::kMoved},
                            FlowRule{"Gather", Flow::kMoved},
                            FlowRule{"GatherElements", Flow::kMoved},
                            FlowRule{"GatherND", Flow::kMoved},
                            FlowRule{"Expand", Flow::kMoved},
                            FlowRule{"Tile", Flow::kMoved},
                            FlowRule{"Pad", Flow::kMoved},
                            FlowRule{"Split", Flow::kMoved},
                            FlowRule{"Compress", Flow::kMoved},
                            FlowRule{"ScatterND", Flow::kMoved},
                            FlowRule{"ScatterElements", Flow::kMoved},
                            FlowRule{"ReverseSequence", Flow::kMoved},
                            FlowRule{"Concat", Flow::kMoved},
                            FlowRule{"TopK", Flow::kMoved},
                            FlowRule{"Unique", Flow::kMoved},
                            FlowRule{"Add", Flow::kAdd},
                            FlowRule{"Sub", Flow::kSubtract},
                            FlowRule{"Mul", Flow::kMultiply},
                            FlowRule{"Div", Flow::kDivide},
                            FlowRule{"Mod", Flow::kRemainder},
                            FlowRule{"Clip", Flow::kBound},
                            FlowRule{"Min", Flow::kBound},
                            FlowRule{"Max", Flow::kBound},
                            FlowRule{"Relu", Flow::kBound},
                            FlowRule{"Abs", Flow::kBound},
                            FlowRule{"Where", Flow::kBranch},
                            FlowRule{"ReduceMax", Flow::kReduced},
                            FlowRule{"ReduceMin", Flow::kReduced},
                            FlowRule{"ReduceSum", Flow::kReduced},
                            FlowRule{"ReduceProd", Flow::kReduced},
                            FlowRule{"CumSum", Flow::kReduced},
                            FlowRule{"Neg", Flow::kSubtract},
                            FlowRule{"Floor", Flow::kSame},
                            FlowRule{"Ceil", Flow::kSame},
                            FlowRule{"Round", Flow::kSame},
                            FlowRule{"Pow", Flow::kMixed},
                            FlowRule{"BitShift", Flow::kMixed},
                            FlowRule{"Sum", Flow::kMixed}};

const Traces* traces_of(const NodeView& node, size_t index) {
  const TensorFacts* facts = node.input(index);
  return facts == nullptr ? nullptr : facts->traces.get();
}

struct Span {
  int64_t low = 0;
  int64_t high = 0;
};

// The least and greatest element of a constant operand; none where it is none, or not of whole numbers.
std::optional<Span> constant(const NodeView& node, size_t index) {
  const TensorFacts* facts = node.input(index);
  if (facts == nullptr) {
    return std::nullopt;
  }
  if (facts->values && !facts->values->empty()) {
    const auto [low, high] = std::ranges::minmax(*facts->values);
    return std::abs(low) < kMaxDim && std::abs(high) < kMaxDim ? std::optional(Span{low, high}) : std::nullopt;
  }
  if (facts->reals && !facts->reals->empty()) {
    const auto [low, high] = std::ranges::minmax(*facts->reals);
    const bool whole = low == high && std::abs(low) < 1e9 && low == static_cast<double>(static_cast<int64_t>(low));
    return whole ? std::optional(Span{static_cast<int64_t>(low), static_cast<int64_t>(low)}) : std::nullopt;
  }
  return std::nullopt;
}

void forget_place(Trace& trace) {
  trace.first.reset();
  trace.at = 0;
  trace.count = -1;
}

void add(Trace& trace, Span span) {
  if (trace.divisor != 1) {
    trace.exact = false;
    return;
  }
  trace.low_offset += span.low;
  trace.high_offset += span.high;
}

void negate(Trace& trace) {
  trace.exact = trace.exact && trace.divisor == 1;
  trace.factor = -trace.factor;
  std::swap(trace.low_offset, trace.high_offset);
  trace.low_offset = -trace.low_offset;
  trace.high_offset = -trace.high_offset;
}

void multiply(Trace& trace, int64_t by) {
  if (by == 0 || trace.divisor != 1 || std::abs(by) > kLargestFactor || std::abs(trace.factor) > kLargestFactor ||
      std::abs(trace.low_offset) > kMaxDim || std::abs(trace.high_offset) > kMaxDim) {
    trace.exact = false;
    return;
  }
  if (by < 0) {
    negate(trace);
    by = -by;
  }
  trace.factor *= by;
  trace.low_offset *= by;
  trace.high_offset *= by;
}

void divide(Trace& trace, int64_t by) {
  if (by <= 0 || by > kLargestFactor || trace.divisor > kLargestFactor) {
    trace.exact = false;
    return;
  }
  trace.divisor *= by;
}

// What is left by a remainder of `by` needs no more than `by` values of x.
void bound(Trace& trace, int64_t by) {
  if (by <= 0 || !trace.exact || trace.factor != 1 || trace.divisor != 1) {
    trace.exact = false;
    return;
  }
  const int64_t highest = by - 1 - trace.high_offset;
  trace.highest = std::min(trace.highest.value_or(highest), highest);
}

// Arithmetic of the operand `index` of two with the other one.
void compute(Flow flow, const NodeView& node, size_t index, Trace& trace) {
  const bool negation = node.input_count() == 1;
  const auto other = negation ? std::optional(Span{0, 0}) : constant(node, 1 - index);
  const bool one_value = other && other->low == other->high;
  if (!other || (flow != Flow::kAdd && flow != Flow::kSubtract && !one_value)) {
    trace.exact = false;
  } else if (flow == Flow::kAdd) {
    add(trace, *other);
  } else if (flow == Flow::kSubtract && index == 0 && !negation) {
    add(trace, {-other->high, -other->low});
  } else if (flow == Flow::kSubtract) {
    negate(trace);
    add(trace, *other);
  } else if (flow == Flow::kMultiply) {
    multiply(trace, other->low);
  } else if (index != 0) {
    trace.exact = false;  // a constant divided by the input
  } else if (flow == Flow::kDivide) {
    divide(trace, other->low);
  } else {
    bound(trace, other->low);
  }
  // Broadcasting repeats elements, so that only a single one keeps its place.
  if (!one_value && !(trace.count == 1 && trace.at == 0)) {
    forget_place(trace);
  }
}

// One element, or a run of them, of a tensor of one axis.
void take(Trace& trace, int64_t start, int64_t count) {
  if (!trace.first || start < trace.at || (trace.count >= 0 && start + count > trace.at + trace.count)) {
    forget_place(trace);
    return;
  }
  trace.first = *trace.first + (start - trace.at);
  trace.at = 0;
  trace.count = count;
}

bool is_flat(const Dims* shape) { return shape != nullptr && shape->size() <= 1; }

void move_place(const NodeView& node, size_t output, const Dims* dims, Trace& trace) {
  const std::string& op = node.node().op_type();
  const Dims* shape = node.shape(0);
  const bool keeps_order = op == "Squeeze" || op == "Unsqueeze" || op == "Reshape" || op == "Flatten";
  if (keeps_order) {
    return;
  }
  if (op == "Slice" && is_flat(shape)) {
    const auto starts = node.attribute_or_input("starts", 1);
    if (starts && starts->size() == 1 && node.has_neither("steps", 4) && is_flat(dims) && dims->size() == 1 &&
        dims->front() >= 0 && (starts->front() >= 0 || shape->front() >= 0)) {
      return take(trace, starts->front() < 0 ? starts->front() + shape->front() : starts->front(), dims->front());
    }
  }
  if (op == "Gather" && is_flat(shape)) {
    const Dims* index = node.values(1);
    if (index != nullptr && index->size() == 1 && (index->front() >= 0 || shape->front() >= 0)) {
      return take(trace, index->front() < 0 ? index->front() + shape->front() : index->front(), 1);
    }
  }
  if (op == "Split" && is_flat(shape) && output == 0 && is_flat(dims) && dims->size() == 1 && dims->front() >= 0) {
    return take(trace, 0, dims->front());
  }
  if (op == "Expand" && trace.count == 1 && trace.first) {
    return;
  }
  forget_place(trace);
}

void keep(Traces& traces, Trace trace) {
  if (traces.size() < kMostTraces) {
    traces.push_back(std::move(trace));
  }
}

Traces concatenated(const NodeView& node) {
  Traces traces;
  int64_t start = 0;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Dims* shape = node.shape(i);
    if (const Traces* operand = traces_of(node, i)) {
      for (Trace trace : *operand) {
        start < 0 || shape == nullptr || shape->size() != 1 ? forget_place(trace) : void(trace.at += start);
        trace.last_axis = false;
        keep(traces, std::move(trace));
      }
    }
    start = start < 0 || shape == nullptr || shape->size() != 1 || shape->front() < 0 ? -1 : start + shape->front();
  }
  return traces;
}

bool flows_through(Flow flow, const NodeView& node, size_t index) {
  switch (flow) {
    case Flow::kSame:
    case Flow::kReduced:
      return index == 0;
    case Flow::kMoved:
      return index == 0 || (index == 2 && node.node().op_type().starts_with("Scatter"));
    case Flow::kBranch:
      return index > 0;
    default:
      return true;
  }
}

Traces followed(Flow flow, const NodeView& node, size_t output, const Dims* dims) {
  if (node.node().op_type() == "Concat") {
    return concatenated(node);
  }
  Traces traces;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Traces* operand = flows_through(flow, node, i) ? traces_of(node, i) : nullptr;
    if (operand == nullptr) {
      continue;
    }
    for (Trace trace : *operand) {
      if (flow == Flow::kMoved) {
        const std::string& op = node.node().op_type();
        trace.last_axis = trace.last_axis && (op == "Expand" || op == "Slice" || op == "Tile");
        move_place(node, output, dims, trace);
      } else if (flow == Flow::kAdd || flow == Flow::kSubtract || flow == Flow::kMultiply || flow == Flow::kDivide ||
                 flow == Flow::kRemainder) {
        compute(flow, node, i, trace);
      } else if (flow == Flow::kMixed || (flow == Flow::kReduced && trace.count != 1)) {
        trace.reduced = trace.reduced || flow == Flow::kReduced;
        trace.exact = false;
        forget_place(trace);
      }
      keep(traces, std::move(trace));
    }
  }
  return traces;
}

}  // namespace

void follow_inputs(NodeView& node) {
  bool any = false;
  for (size_t i = 0; i < node.input_count() && !any; ++i) {
    any = traces_of(node, i) != nullptr;
  }
  if (!any || !(node.node().domain().empty() || node.node().domain() == "ai.onnx")) {
    return;
  }
  const auto* const rule =
      std::ranges::find_if(kRules, [&](const FlowRule& each) { return each.op_type == node.node().op_type(); });
  if (rule == kRules.end()) {
    return;
  }
  constexpr int64_t kBool = 9;
  if (rule->op_type == "Cast" && node.integer("to", 0) == kBool) {
    return;  // whether it is zero, no longer how much it is
  }
  for (size_t i = 0; i < node.output_count(); ++i) {
    const bool indices = i > 0 && (rule->op_type == "TopK" || rule->op_type == "Unique");
    const std::optional<Dims>& shape = node.output(i).shape;
    Traces traces = indices ? Traces{} : followed(rule->flow, node, i, shape ? &*shape : nullptr);
    if (!traces.empty()) {
      node.output(i).traces = std::make_shared<const Traces>(std::move(traces));
    }
  }
}

}  // namespace aaco
