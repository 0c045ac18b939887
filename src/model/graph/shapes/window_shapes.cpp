// SPDX-License-Identifier: MIT
// Convolutions, pooling and resizing: a window's positions along each spatial axis.
#include <cmath>

#include "model/graph/shapes/shape_inference.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

// Attribute values of a sane window; with dimensions up to 2^40 nothing below can overflow.
constexpr int64_t kMaxWindow = int64_t{1} << 20;

struct Window {
  Dims kernel, strides, dilations, pads_begin, pads_end;
  std::string auto_pad;
};

// A list of `count` values from an attribute, `missing` where it is absent; none when it has another length or a value
// that no window has.
std::optional<Dims> window_list(const NodeView& node, const char* name, size_t count, int64_t missing, int64_t least) {
  Dims list = node.integers(name).value_or(Dims(count, missing));
  if (list.empty()) {
    list.assign(count, missing);
  }
  for (const int64_t value : list) {
    if (value < least || value > kMaxWindow) {
      return std::nullopt;
    }
  }
  return list.size() == count ? std::optional(std::move(list)) : std::nullopt;
}

std::optional<Window> window_of(const NodeView& node, const Dims& kernel) {
  const size_t rank = kernel.size();
  const auto strides = window_list(node, "strides", rank, 1, 1);
  const auto dilations = window_list(node, "dilations", rank, 1, 1);
  const auto pads = window_list(node, "pads", 2 * rank, 0, -kMaxWindow);
  if (!strides || !dilations || !pads) {
    return std::nullopt;
  }
  for (const int64_t size : kernel) {
    if (size < 1 || size > kMaxWindow) {
      return std::nullopt;
    }
  }
  const auto middle = pads->begin() + static_cast<std::ptrdiff_t>(rank);
  Window window{kernel, *strides, *dilations, {pads->begin(), middle}, {middle, pads->end()}, ""};
  window.auto_pad = node.text("auto_pad", "NOTSET");
  return window;
}

int64_t positions(const Window& window, size_t axis, int64_t size, bool ceil_mode) {
  const int64_t stride = window.strides[axis];
  if (size < 0) {
    return -1;
  }
  if (window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER") {
    return (size + stride - 1) / stride;
  }
  const bool padded = window.auto_pad != "VALID";
  const int64_t start = padded ? window.pads_begin[axis] : 0;
  const int64_t end = padded ? window.pads_end[axis] : 0;
  const int64_t room = size + start + end - ((window.kernel[axis] - 1) * window.dilations[axis] + 1);
  if (room < 0) {
    return -1;
  }
  int64_t count = (ceil_mode ? (room + stride - 1) / stride : room / stride) + 1;
  if (ceil_mode && (count - 1) * stride >= size + start) {
    --count;  // the last window would start in the padding behind the input
  }
  return count;
}

// [N, channels, one position count an axis]
std::optional<Dims> windowed_shape(const Dims& input, int64_t channels, const std::optional<Window>& window,
                                   bool ceil_mode) {
  if (!window || input.size() != window->kernel.size() + 2) {
    return std::nullopt;
  }
  Dims shape = {input[0], channels};
  for (size_t axis = 0; axis < window->kernel.size(); ++axis) {
    shape.push_back(positions(*window, axis, input[axis + 2], ceil_mode));
  }
  return shape;
}

std::optional<Dims> convolved(const NodeView& node, size_t filter_index) {
  const Dims* input = node.shape(0);
  const Dims* filter = node.shape(filter_index);
  if (input == nullptr || filter == nullptr || filter->size() < 3) {
    return std::nullopt;
  }
  const auto window = window_of(node, {filter->begin() + 2, filter->end()});
  return windowed_shape(*input, (*filter)[0], window, false);
}

void convolution(NodeView& node) { node.set_output(0, node.dtype(0), convolved(node, 1)); }
void integer_convolution(NodeView& node) { node.set_output(0, "int32", convolved(node, 1)); }
void quantized_convolution(NodeView& node) {
  node.set_output(0, node.dtype(7), node.integer("channels_last", 0) != 0 ? std::nullopt : convolved(node, 3));
}

std::optional<Dims> transpose_convolved(const NodeView& node) {
  const Dims* input = node.shape(0);
  const Dims* filter = node.shape(1);
  const int64_t groups = node.integer("group", 1);
  if (input == nullptr || filter == nullptr || filter->size() < 3 || input->size() != filter->size() || groups < 1 ||
      groups > kMaxWindow) {
    return std::nullopt;
  }
  const size_t rank = filter->size() - 2;
  const auto window = window_of(node, {filter->begin() + 2, filter->end()});
  const auto extra = window_list(node, "output_padding", rank, 0, 0);
  if (!window || !extra) {
    return std::nullopt;
  }
  const std::optional<Dims> given = node.integers("output_shape");
  Dims shape = {(*input)[0], (*filter)[1] < 0 ? -1 : (*filter)[1] * groups};
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t size = (*input)[axis + 2];
    const int64_t stride = window->strides[axis];
    const int64_t span = (window->kernel[axis] - 1) * window->dilations[axis] + 1;
    if (given && given->size() == rank) {
      shape.push_back((*given)[axis]);
    } else if (size < 0) {
      shape.push_back(-1);
    } else if (window->auto_pad.starts_with("SAME")) {
      shape.push_back(size * stride);
    } else {
      const int64_t pads = window->auto_pad == "VALID" ? 0 : window->pads_begin[axis] + window->pads_end[axis];
      shape.push_back(stride * (size - 1) + (*extra)[axis] + span - pads);
    }
  }
  return shape;
}

void transposed_convolution(NodeView& node) { node.set_output(0, node.dtype(0), transpose_convolved(node)); }

void pool(NodeView& node) {
  const Dims* input = node.shape(0);
  const auto kernel = node.integers("kernel_shape");
  std::optional<Dims> shape;
  if (input != nullptr && kernel && input->size() > 1 && node.integer("channels_last", 0) == 0) {
    shape = windowed_shape(*input, (*input)[1], window_of(node, *kernel), node.integer("ceil_mode", 0) != 0);
  }
  node.set_output(0, node.dtype(0), shape);
  node.set_output(1, "int64", shape);
}

void global_pool(NodeView& node) {
  std::optional<Dims> shape;
  if (const Dims* input = node.shape(0)) {
    shape = *input;
    for (size_t axis = 2; axis < shape->size(); ++axis) {
      (*shape)[axis] = 1;
    }
  }
  node.set_output(0, node.dtype(0), shape);
}

// -1 where it depends on the arithmetic: 3 x 5/3 is 5 in the runtime's float32, and 4 in double.
int64_t scaled_size(int64_t dim, double scale) {
  const double scaled = std::floor(static_cast<double>(dim) * scale);
  const bool same = scaled == std::floor(static_cast<float>(dim) * static_cast<float>(scale));
  return same && dim >= 0 && scaled >= 0 && scaled < static_cast<double>(kMaxDim) ? static_cast<int64_t>(scaled) : -1;
}

// Sizes or scales for all axes, or for those of the attribute `axes`.
void resize(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* input = node.shape(0);
  const bool has_roi = node.node().op_type() == "Resize" && node.input_count() > 2;
  const TensorFacts* scales = node.input(has_roi ? 2 : 1);
  const Dims* sizes = node.values(3);
  if (input == nullptr || node.text("keep_aspect_ratio_policy", "stretch") != "stretch") {
    return;
  }
  Dims axes = node.integers("axes").value_or(Dims{});
  if (axes.empty()) {
    for (size_t axis = 0; axis < input->size(); ++axis) {
      axes.push_back(static_cast<int64_t>(axis));
    }
  }
  Dims shape = *input;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = axis_position(axes[i], input->size());
    if (!axis) {
      return;
    }
    int64_t& dim = shape[*axis];
    if (sizes != nullptr && i < sizes->size()) {
      dim = (*sizes)[i];
    } else if (scales != nullptr && scales->reals && i < scales->reals->size()) {
      dim = scaled_size(dim, (*scales->reals)[i]);
    } else {
      dim = -1;
    }
  }
  node.output(0).shape = shape;
}

void space_to_depth(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* input = node.shape(0);
  const int64_t block = node.integer("blocksize", 0);
  if (input == nullptr || input->size() != 4 || block < 1 || block > 1024) {
    return;
  }
  const bool deeper = node.node().op_type() == "SpaceToDepth";
  const auto scale = [](int64_t dim, int64_t factor, bool up) {
    return dim < 0 ? -1 : up ? dim * factor : dim / factor;
  };
  node.output(0).shape = Dims{(*input)[0], scale((*input)[1], block * block, deeper),
                              scale((*input)[2], block, !deeper), scale((*input)[3], block, !deeper)};
}

// Channels are padded to the processor's block of 8 or 16, which the file does not name.
void reorder_input(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* input = node.shape(0);
  if (input == nullptr || input->size() != 4) {
    return;
  }
  Dims shape = *input;
  if (node.integer("channels_last", 0) != 0) {
    shape = {shape[0], shape[3], shape[1], shape[2]};
  }
  shape[1] = shape[1] > 0 && shape[1] % 16 == 0 ? shape[1] : -1;
  node.output(0).shape = shape;
}

void reorder_output(NodeView& node) {
  node.output(0).dtype = node.dtype(0);
  const Dims* input = node.shape(0);
  if (input == nullptr || input->size() != 4) {
    return;
  }
  Dims shape = *input;
  shape[1] = node.integer("channels", -1);
  if (node.integer("channels_last", 0) != 0) {
    shape = {shape[0], shape[2], shape[3], shape[1]};
  }
  node.output(0).shape = shape;
}

}  // namespace

std::span<const ShapeRule> window_shape_rules() {
  static constexpr ShapeRule kRules[] = {{"Conv", convolution},
                                         {"FusedConv", convolution},
                                         {"ConvInteger", integer_convolution},
                                         {"QLinearConv", quantized_convolution},
                                         {"ConvTranspose", transposed_convolution},
                                         {"MaxPool", pool},
                                         {"AveragePool", pool},
                                         {"LpPool", pool},
                                         {"GlobalMaxPool", global_pool},
                                         {"GlobalAveragePool", global_pool},
                                         {"GlobalLpPool", global_pool},
                                         {"Resize", resize},
                                         {"Upsample", resize},
                                         {"DepthToSpace", space_to_depth},
                                         {"SpaceToDepth", space_to_depth},
                                         {"ReorderInput", reorder_input},
                                         {"ReorderOutput", reorder_output}};
  return kRules;
}

}  // namespace aaco
