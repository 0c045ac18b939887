// SPDX-License-Identifier: MIT
// Operators that select from a tensor, or make one.
#include <algorithm>
#include <limits>

#include "model/graph/shapes/shape_inference.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

// Elements that a slice takes from an axis of `dim`; -1 when the bounds are no slice.
int64_t slice_length(int64_t dim, int64_t start, int64_t end, int64_t step) {
  if (dim == 0) {
    return 0;
  }
  if (dim < 0 || step == 0 || step == std::numeric_limits<int64_t>::min()) {
    return -1;
  }
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = step > 0 ? dim : dim - 1;
  const int64_t from = std::clamp(start < 0 ? start + dim : start, int64_t{0}, high);
  const int64_t to = std::clamp(end < 0 ? end + dim : end, low, high);
  const int64_t distance = step > 0 ? to - from : from - to;
  const int64_t stride = step > 0 ? step : -step;
  return distance <= 0 ? 0 : (distance - 1) / stride + 1;
}

void slice(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* input = node.shape(0);
  if (input == nullptr) {
    return;
  }
  const std::optional<Dims> starts = node.attribute_or_input("starts", 1);
  const std::optional<Dims> ends = node.attribute_or_input("ends", 2);
  std::optional<Dims> axes = node.attribute_or_input("axes", 3);
  std::optional<Dims> steps = node.attribute_or_input("steps", 4);
  if (!axes && node.has_neither("axes", 3)) {
    axes.emplace();
    for (size_t i = 0; i < input->size(); ++i) {
      axes->push_back(static_cast<int64_t>(i));
    }
  }
  const bool unit_steps = node.has_neither("steps", 4);
  Dims shape = *input;
  if (!axes) {
    node.output(0).shape = unknown_of_rank(static_cast<int64_t>(shape.size()));
    return;
  }
  const size_t count = starts ? std::min(starts->size(), axes->size()) : axes->size();
  for (size_t i = 0; i < count; ++i) {
    const auto axis = axis_position((*axes)[i], shape.size());
    if (!axis) {
      return;
    }
    const bool known = starts && ends && i < ends->size() && (unit_steps || (steps && i < steps->size()));
    shape[*axis] = known ? slice_length(shape[*axis], (*starts)[i], (*ends)[i], unit_steps ? 1 : (*steps)[i]) : -1;
  }
  node.output(0).shape = shape;
}

void gather(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* data = node.shape(0);
  const Dims* indices = node.shape(1);
  const auto axis = data == nullptr ? std::nullopt : axis_position(node.integer("axis", 0), data->size());
  if (!axis || indices == nullptr) {
    return;
  }
  const auto at = data->begin() + static_cast<std::ptrdiff_t>(*axis);
  Dims shape(data->begin(), at);
  shape.insert(shape.end(), indices->begin(), indices->end());
  shape.insert(shape.end(), at + 1, data->end());
  node.output(0).shape = shape;
}

void gather_elements(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  if (const Dims* indices = node.shape(1)) {
    node.output(0).shape = *indices;
  }
}

void gather_nd(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* data = node.shape(0);
  const Dims* indices = node.shape(1);
  const int64_t batch = node.integer("batch_dims", 0);
  if (data == nullptr || indices == nullptr || indices->empty() || batch < 0 ||
      batch > static_cast<int64_t>(kMaxRank) || indices->back() < 0 ||
      indices->back() + batch > static_cast<int64_t>(data->size())) {
    return;
  }
  Dims shape(indices->begin(), indices->end() - 1);
  shape.insert(shape.end(), data->begin() + batch + indices->back(), data->end());
  node.output(0).shape = shape;
}

void shape_operator(NodeView& node) {
  node.output(0).dtype = "int64";
  const Dims* input = node.shape(0);
  if (input == nullptr) {
    return;
  }
  const auto rank = static_cast<int64_t>(input->size());
  const auto bound = [&](int64_t at) { return std::clamp(at < 0 ? at + rank : at, int64_t{0}, rank); };
  const int64_t from = bound(node.integer("start", 0));
  const int64_t to = std::max(from, bound(node.integer("end", rank)));
  const Dims part(input->begin() + from, input->begin() + to);
  node.output(0).shape = Dims{to - from};
  if (std::find(part.begin(), part.end(), -1) == part.end()) {
    node.output(0).values = std::make_shared<const Dims>(part);
  }
}

void size_operator(NodeView& node) {
  node.set_output(0, "int64", Dims{});
  const Dims* input = node.shape(0);
  if (const auto count = input == nullptr ? std::nullopt : element_count(*input)) {
    node.output(0).values = std::make_shared<const Dims>(1, *count);
  }
}

// A list that is too long to be kept is empty here: its length is not known.
template <class Out, class List>
void set_list(TensorFacts& output, const char* dtype, const List& list,
              std::shared_ptr<const std::vector<Out>>& values) {
  output.dtype = dtype;
  output.shape = Dims{list.empty() ? -1 : list.size()};
  values = list.empty() ? nullptr : std::make_shared<const std::vector<Out>>(list.begin(), list.end());
}

void constant(NodeView& node) {
  TensorFacts& output = node.output(0);
  for (const onnx::AttributeProto& attribute : node.node().attribute()) {
    if (attribute.name() == "value") {
      output = facts_of(attribute.t());
    } else if (attribute.name() == "value_int") {
      output = {"int64", Dims{}, std::make_shared<const Dims>(1, attribute.i()), nullptr};
    } else if (attribute.name() == "value_ints") {
      set_list(output, "int64", attribute.ints(), output.values);
    } else if (attribute.name() == "value_float") {
      output = {"float32", Dims{}, nullptr, std::make_shared<const std::vector<double>>(1, attribute.f())};
    } else if (attribute.name() == "value_floats") {
      set_list(output, "float32", attribute.floats(), output.reals);
    }
  }
}

void constant_of_shape(NodeView& node) {
  const onnx::AttributeProto* value = node.attribute("value");
  node.output(0).dtype = value == nullptr ? "float32" : dtype_name(value->t().data_type());
  const Dims* shape = node.values(0);
  node.output(0).shape = shape != nullptr ? std::optional(*shape) : node.rank_from(0);
}

void range(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  node.output(0).shape = Dims{-1};
  const Dims* start = node.values(0);
  const Dims* limit = node.values(1);
  const Dims* delta = node.values(2);
  const auto scalar = [](const Dims* values) { return values != nullptr && values->size() == 1; };
  int64_t distance = 0;
  if (scalar(start) && scalar(limit) && scalar(delta) &&
      !__builtin_sub_overflow(limit->front(), start->front(), &distance)) {
    // The count of a range is that of a slice over its own distance.
    const int64_t step = delta->front();
    const bool backwards = distance < 0;
    if (step == 0 || distance == std::numeric_limits<int64_t>::min() || step == std::numeric_limits<int64_t>::min()) {
      return;
    }
    const int64_t length = backwards ? -distance : distance;
    const int64_t stride = backwards ? -step : step;
    node.output(0).shape = Dims{stride < 0 || length == 0 ? 0 : (length - 1) / stride + 1};
  }
}

void one_hot(NodeView& node) {
  node.output(0).dtype = node.dtype(2);
  const Dims* indices = node.shape(0);
  const Dims* depth = node.values(1);
  const auto axis = indices == nullptr ? std::nullopt : axis_position(node.integer("axis", -1), indices->size() + 1);
  if (!axis) {
    return;
  }
  Dims shape = *indices;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis),
               depth != nullptr && depth->size() == 1 ? depth->front() : -1);
  node.output(0).shape = shape;
}

void non_zero(NodeView& node) {
  const Dims* input = node.shape(0);
  node.set_output(0, "int64",
                  input == nullptr ? std::nullopt : std::optional(Dims{static_cast<int64_t>(input->size()), -1}));
}

void eye_like(NodeView& node) {
  const std::string given = dtype_name(static_cast<int32_t>(node.integer("dtype", 0)));
  const Dims* input = node.shape(0);
  node.set_output(0, given.empty() ? node.dtype(0) : given, input == nullptr ? std::nullopt : std::optional(*input));
}

}  // namespace

std::span<const ShapeRule> selection_shape_rules() {
  static constexpr ShapeRule kRules[] = {{"Slice", slice},
                                         {"Gather", gather},
                                         {"GatherElements", gather_elements},
                                         {"GatherND", gather_nd},
                                         {"Shape", shape_operator},
                                         {"Size", size_operator},
                                         {"Constant", constant},
                                         {"ConstantOfShape", constant_of_shape},
                                         {"Range", range},
                                         {"OneHot", one_hot},
                                         {"NonZero", non_zero},
                                         {"EyeLike", eye_like}};
  return kRules;
}

}  // namespace aaco
