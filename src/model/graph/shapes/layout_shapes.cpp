// SPDX-License-Identifier: MIT
// Operators that rearrange, join or repeat tensors.
#include <algorithm>

#include "model/graph/shapes/shape_inference.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

std::optional<Dims> reshaped(const NodeView& node, const Dims& input, const Dims& target) {
  const bool zero_copies = node.integer("allowzero", 0) == 0;
  Dims shape = target;
  std::optional<size_t> rest;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && zero_copies) {
      shape[i] = i < input.size() ? input[i] : -1;
    } else if (shape[i] == -1) {
      rest = i;
    }
  }
  if (rest) {
    Dims others = shape;
    others[*rest] = 1;
    const auto all = element_count(input);
    const auto known = element_count(others);
    shape[*rest] = all && known && *known > 0 ? *all / *known : -1;
  }
  return shape;
}

void reshape(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const std::optional<Dims> target = node.attribute_or_input("shape", 1);
  if (target && target->size() <= kMaxRank) {
    const Dims* input = node.shape(0);
    node.output(0).shape = reshaped(node, input == nullptr ? Dims{-1} : *input, *target);
  } else {
    node.output(0).shape = node.rank_from(1);
  }
}

void flatten(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* input = node.shape(0);
  if (input == nullptr) {
    return;
  }
  const auto rank = static_cast<int64_t>(input->size());
  int64_t axis = node.integer("axis", 1);
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis > rank) {
    return;
  }
  const auto middle = input->begin() + axis;
  node.output(0).shape =
      Dims{element_count({input->begin(), middle}).value_or(-1), element_count({middle, input->end()}).value_or(-1)};
}

void squeeze(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* input = node.shape(0);
  const std::optional<Dims> axes = node.attribute_or_input("axes", 1);
  const bool ones = node.has_neither("axes", 1);
  if (input == nullptr || (!axes && !ones)) {
    return;
  }
  std::vector<bool> gone(input->size(), false);
  for (const int64_t axis : axes.value_or(Dims{})) {
    if (const auto position = axis_position(axis, input->size())) {
      gone[*position] = true;
    }
  }
  Dims shape;
  for (size_t i = 0; i < input->size(); ++i) {
    if (ones && (*input)[i] < 0) {
      return;  // it might be a one
    }
    if (!gone[i] && !(ones && (*input)[i] == 1)) {
      shape.push_back((*input)[i]);
    }
  }
  node.output(0).shape = shape;
}

void unsqueeze(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* input = node.shape(0);
  const std::optional<Dims> axes = node.attribute_or_input("axes", 1);
  if (input == nullptr || !axes || input->size() + axes->size() > kMaxRank) {
    return;
  }
  std::vector<bool> is_new(input->size() + axes->size(), false);
  for (const int64_t axis : *axes) {
    const auto position = axis_position(axis, is_new.size());
    if (!position || is_new[*position]) {
      return;
    }
    is_new[*position] = true;
  }
  Dims shape;
  size_t next = 0;
  for (const bool inserted : is_new) {
    shape.push_back(inserted ? 1 : (*input)[next++]);
  }
  node.output(0).shape = shape;
}

void transpose(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* input = node.shape(0);
  if (input == nullptr) {
    return;
  }
  Dims shape(input->rbegin(), input->rend());
  if (const std::optional<Dims> order = node.integers("perm")) {
    if (order->size() != input->size()) {
      return;
    }
    for (size_t i = 0; i < order->size(); ++i) {
      const auto from = axis_position((*order)[i], input->size());
      if (!from) {
        return;
      }
      shape[i] = (*input)[*from];
    }
  }
  node.output(0).shape = shape;
}

void concat(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* first = node.shape(0);
  const auto axis = first == nullptr ? std::nullopt : axis_position(node.integer("axis", 1), first->size());
  if (!axis) {
    return;
  }
  Dims shape = *first;
  for (size_t i = 1; i < node.input_count(); ++i) {
    const Dims* other = node.shape(i);
    if (other == nullptr || other->size() != shape.size()) {
      return;
    }
    for (size_t j = 0; j < shape.size(); ++j) {
      const int64_t dim = (*other)[j];
      if (j != *axis) {
        shape[j] = shape[j] < 0 ? dim : shape[j];
      } else if (shape[j] < 0 || dim < 0 || shape[j] > kMaxDim) {
        shape[j] = -1;
      } else {
        shape[j] += dim;
      }
    }
  }
  node.output(0).shape = shape;
}

void split(NodeView& node) {
  const Dims* input = node.shape(0);
  const auto axis = input == nullptr ? std::nullopt : axis_position(node.integer("axis", 0), input->size());
  const std::optional<Dims> sizes = node.attribute_or_input("split", 1);
  const bool even = node.has_neither("split", 1);
  const auto count = static_cast<int64_t>(node.output_count());
  for (size_t i = 0; i < node.output_count(); ++i) {
    node.output(i).dtype = node.dtype(0);
    if (!axis) {
      continue;
    }
    Dims shape = *input;
    const int64_t whole = shape[*axis];
    const int64_t part = (whole + count - 1) / count;  // the last may be smaller
    if (even && whole >= 0) {
      shape[*axis] = std::min(part, std::max<int64_t>(0, whole - static_cast<int64_t>(i) * part));
    } else {
      shape[*axis] = sizes && i < sizes->size() ? (*sizes)[i] : -1;
    }
    node.output(i).shape = shape;
  }
}

void expand(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* input = node.shape(0);
  const Dims* target = node.values(1);
  if (input != nullptr && target != nullptr && target->size() <= kMaxRank) {
    const std::optional<Dims> shapes[] = {*input, *target};
    node.output(0).shape = broadcast(shapes);
  }
}

void tile(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* input = node.shape(0);
  const Dims* repeats = node.values(1);
  if (input == nullptr) {
    return;
  }
  Dims shape = *input;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool known = repeats != nullptr && i < repeats->size() && shape[i] >= 0 && (*repeats)[i] >= 0;
    shape[i] = known ? element_count({shape[i], (*repeats)[i]}).value_or(-1) : -1;
  }
  node.output(0).shape = shape;
}

void pad(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* input = node.shape(0);
  const std::optional<Dims> pads = node.attribute_or_input("pads", 1);
  std::optional<Dims> axes = node.attribute_or_input("axes", 3);
  if (input == nullptr) {
    return;
  }
  Dims shape = *input;
  if (!axes && node.has_neither("axes", 3)) {
    axes.emplace();
    for (size_t i = 0; i < shape.size(); ++i) {
      axes->push_back(static_cast<int64_t>(i));
    }
  }
  if (!pads || !axes || pads->size() != 2 * axes->size()) {
    node.output(0).shape = unknown_of_rank(static_cast<int64_t>(shape.size()));
    return;
  }
  for (size_t i = 0; i < axes->size(); ++i) {
    const auto axis = axis_position((*axes)[i], shape.size());
    const int64_t before = (*pads)[i];
    const int64_t after = (*pads)[i + axes->size()];
    if (!axis) {
      return;
    }
    int64_t& dim = shape[*axis];
    const bool sane = dim >= 0 && std::max(before, after) < kMaxDim && std::min(before, after) > -kMaxDim;
    dim = sane ? dim + before + after : -1;
  }
  node.output(0).shape = shape;
}

}  // namespace

std::span<const ShapeRule> layout_shape_rules() {
  static constexpr ShapeRule kRules[] = {
      {"Reshape", reshape},     {"Flatten", flatten}, {"Squeeze", squeeze}, {"Unsqueeze", unsqueeze},
      {"Transpose", transpose}, {"Concat", concat},   {"Split", split},     {"Expand", expand},
      {"Tile", tile},           {"Pad", pad}};
  return kRules;
}

}  // namespace aaco
