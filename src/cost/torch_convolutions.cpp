// SPDX-License-Identifier: MIT
// Convolutions of PyTorch and of the libraries that it calls, forward and backward, and pooling.
#include <algorithm>
#include <array>
#include <cstddef>

#include "cost/torch_rule.h"

namespace aaco::cost {
namespace {

constexpr size_t kNone = SIZE_MAX;

// Which argument is which.
struct ConvolutionRule {
  std::string_view name;
  size_t stride;
  size_t padding;
  size_t dilation = kNone;  // kNone: 1
  size_t transposed = kNone;
  size_t output_padding = kNone;  // of an operator that is always transposed
  size_t input = 0;
  size_t filter = 1;
};

constexpr auto kConvolutions = std::to_array<ConvolutionRule>({
    {"aten::conv1d", 3, 4, 5},
    {"aten::conv2d", 3, 4, 5},
    {"aten::conv3d", 3, 4, 5},
    {"aten::convolution", 3, 4, 5, 6, 7},
    {"aten::_convolution", 3, 4, 5, 6, 7},
    {"aten::convolution_overrideable", 3, 4, 5, 6, 7},
    {"aten::cudnn_convolution", 3, 2, 4},
    {"aten::cudnn_convolution_relu", 3, 4, 5},
    {"aten::cudnn_convolution_add_relu", 5, 6, 7},
    {"aten::cudnn_convolution_transpose", 4, 2, 5, kNone, 3},
    {"aten::miopen_convolution", 4, 3, 5},
    {"aten::miopen_depthwise_convolution", 4, 3, 5},
    {"aten::miopen_convolution_transpose", 5, 3, 6, kNone, 4},
    {"aten::mkldnn_convolution", 4, 3, 5},
    {"aten::_conv_depthwise2d", 4, 5, 6},
    {"aten::conv_depthwise3d", 4, 5, 6},
    {"aten::_slow_conv2d_forward", 4, 5},
    {"aten::thnn_conv2d", 4, 5},
    {"aten::slow_conv3d_forward", 4, 5},
});

// grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask
constexpr std::string_view kBackward = "aten::convolution_backward";

constexpr int64_t kLargest = int64_t{1} << 30;  // of a number here, so that no product of two leaves 64 bits

int64_t at(const std::vector<int64_t>& values, size_t axis) { return values.size() == 1 ? values[0] : values[axis]; }
bool covers(const std::vector<int64_t>& values, size_t axes) { return values.size() == 1 || values.size() == axes; }

struct Geometry {
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  std::vector<int64_t> dilation;
  std::vector<int64_t> output_padding;
};

// The extent of one axis of the result; none where the numbers fit no convolution.
std::optional<int64_t> extent(int64_t in, int64_t kernel, const Geometry& by, size_t axis, bool transposed) {
  const int64_t stride = at(by.stride, axis);
  const int64_t padding = at(by.padding, axis);
  const int64_t dilation = at(by.dilation, axis);
  const int64_t added = transposed ? at(by.output_padding, axis) : 0;
  for (const int64_t value : {in, kernel, stride, padding, dilation, added}) {
    if (value < 0 || value > kLargest) {
      return std::nullopt;
    }
  }
  if (stride == 0 || kernel == 0) {
    return std::nullopt;
  }
  const int64_t window = dilation * (kernel - 1) + 1;
  const int64_t out =
      transposed ? (in - 1) * stride - 2 * padding + window + added : (in + 2 * padding - window) / stride + 1;
  return out >= 0 && in + 2 * padding >= (transposed ? 0 : window) ? std::optional(out) : std::nullopt;
}

// [batch, channels, extents...]; the input may lack the batch.
std::optional<Shape> result_shape(const Shape& input, const Shape& filter, const Geometry& by, bool transposed,
                                  int64_t out_channels) {
  const size_t axes = filter.size() - 2;
  Shape result = input;
  result[input.size() - axes - 1] = out_channels;
  for (size_t axis = 0; axis < axes; ++axis) {
    const auto size = extent(input[input.size() - axes + axis], filter[2 + axis], by, axis, transposed);
    if (!size) {
      return std::nullopt;
    }
    result[input.size() - axes + axis] = *size;
  }
  return result;
}

CallWork convolution_of(const Operand& input, const Operand& filter, const Operand& output, bool transposed) {
  CallWork work;
  work.family = OpFamily::kConvolution;
  work.matrix = true;
  work.dtype = input.dtype;
  work.flops = op_flops(op_shape(transposed ? "ConvTranspose" : "Conv", {input, filter}, {output}));
  return work;
}

bool is_convolution(const TorchArgument* input, const TorchArgument* filter) {
  return input != nullptr && filter != nullptr && filter->shapes.front().size() >= 3 &&
         input->shapes.front().size() + 1 >= filter->shapes.front().size() &&
         input->shapes.front().size() <= filter->shapes.front().size();
}

std::optional<Geometry> geometry_of(const TorchCall& call, const ConvolutionRule& rule, size_t axes) {
  Geometry by{{}, {}, {1}, {0}};
  const auto take = [&](size_t index, std::vector<int64_t>& into) {
    if (index != kNone) {
      into = integers(call, index).value_or(std::vector<int64_t>());
    }
    return covers(into, axes);
  };
  return take(rule.stride, by.stride) && take(rule.padding, by.padding) && take(rule.dilation, by.dilation) &&
                 take(rule.output_padding, by.output_padding)
             ? std::optional(by)
             : std::nullopt;
}

CallWork forward_work(const TorchCall& call, const ConvolutionRule& rule) {
  const TorchArgument* input = tensor(call, rule.input);
  const TorchArgument* filter = tensor(call, rule.filter);
  if (!is_convolution(input, filter)) {
    return unknown_work(OpFamily::kConvolution, "the shapes of its input and filter are not recorded");
  }
  const Shape& weights = filter->shapes.front();
  const auto by = geometry_of(call, rule, weights.size() - 2);
  const auto switched =
      rule.transposed == kNone ? std::optional(rule.output_padding != kNone) : boolean(call, rule.transposed);
  if (!by || !switched) {
    return unknown_work(OpFamily::kConvolution, "its stride, padding and dilation are not recorded");
  }
  int64_t out_channels = weights[0];
  if (*switched) {  // [in, out / groups, ...]; the groups follow the dilation in every one of them
    const auto groups = integer(call, rule.transposed == kNone ? rule.dilation + 1 : 8);
    if (!groups || *groups < 1 || *groups > kLargest || weights[1] > kLargest) {
      return unknown_work(OpFamily::kConvolution, "its number of groups is not recorded");
    }
    out_channels = weights[1] * *groups;
  }
  const auto shape = result_shape(input->shapes.front(), weights, *by, *switched, out_channels);
  if (!shape) {
    return unknown_work(OpFamily::kConvolution, "its shapes, stride and padding do not fit together");
  }
  const Operand output{*shape, input->dtype};
  CallWork work = convolution_of(operand(*input), operand(*filter), output, *switched);
  set_bytes(work, {operand(*input), operand(*filter)}, {output});
  return work;
}

CallWork backward_work(const TorchCall& call) {
  const TorchArgument* gradient = tensor(call, 0);
  const TorchArgument* input = tensor(call, 1);
  const TorchArgument* filter = tensor(call, 2);
  if (gradient == nullptr || !is_convolution(input, filter)) {
    return unknown_work(OpFamily::kConvolution, "the shapes of its gradient, input and filter are not recorded");
  }
  const auto transposed = boolean(call, 7);
  const auto mask = value(call, 10);  // "[True, True, False]": of input, weight and bias
  if (!transposed || !mask) {
    return unknown_work(OpFamily::kConvolution, "which gradients it computes is not recorded");
  }
  const bool of_input = mask->starts_with("[True");
  const size_t comma = mask->find(',');
  const bool of_filter = comma != std::string::npos && mask->compare(comma, 6, ", True") == 0;
  CallWork work = convolution_of(operand(*input), operand(*filter), operand(*gradient), *transposed);
  work.backward = true;
  if (work.flops) {
    *work.flops *= (of_input ? 1 : 0) + (of_filter ? 1 : 0);
  }
  std::vector<Operand> read{operand(*gradient)};
  std::vector<Operand> written;
  if (of_input) {
    read.push_back(operand(*filter));
    written.push_back(operand(*input));
  }
  if (of_filter) {
    read.push_back(operand(*input));
    written.push_back(operand(*filter));
  }
  set_bytes(work, read, written);
  return work;
}

struct PoolingRule {
  std::string_view name;
  std::string_view onnx;
  size_t dilation;
  bool with_indices;
};
// input, kernel_size, stride, padding; the rounding mode follows and must be down.
constexpr auto kPooling = std::to_array<PoolingRule>({
    {"aten::max_pool2d_with_indices", "MaxPool", 4, true},
    {"aten::max_pool3d_with_indices", "MaxPool", 4, true},
    {"aten::avg_pool2d", "AveragePool", kNone, false},
    {"aten::avg_pool3d", "AveragePool", kNone, false},
});

CallWork pooling_work(const TorchCall& call, const PoolingRule& rule) {
  const TorchArgument* input = tensor(call, 0);
  const auto kernel = integers(call, 1);
  const auto ceiling = boolean(call, rule.dilation == kNone ? 4 : 5);
  const size_t axes = rule.name.find("3d") != std::string_view::npos ? 3 : 2;
  if (input == nullptr || input->shapes.front().size() <= axes || !kernel || !covers(*kernel, axes) ||
      ceiling.value_or(true)) {
    return unknown_work(OpFamily::kReduction, "its window is not recorded, or rounds up");
  }
  Geometry by{integers(call, 2).value_or(*kernel), integers(call, 3).value_or(Shape{0}), {1}, {0}};
  if (by.stride.empty()) {
    by.stride = *kernel;
  }
  if (rule.dilation != kNone) {
    by.dilation = integers(call, rule.dilation).value_or(Shape{1});
  }
  Shape window{1, 1};
  for (size_t axis = 0; axis < axes; ++axis) {
    window.push_back(at(*kernel, axis));
  }
  const Shape& from = input->shapes.front();
  const auto shape = covers(by.stride, axes) && covers(by.padding, axes) && covers(by.dilation, axes)
                         ? result_shape(from, window, by, false, from[from.size() - axes - 1])
                         : std::nullopt;
  if (!shape) {
    return unknown_work(OpFamily::kReduction, "its shapes, stride and padding do not fit together");
  }
  CallWork work;
  work.family = OpFamily::kReduction;
  work.dtype = input->dtype;
  OpShape op = op_shape(rule.onnx, {operand(*input)}, {{*shape, input->dtype}});
  op.int_attributes["kernel_shape"] = {window.begin() + 2, window.end()};
  work.flops = op_flops(op);
  std::vector<Operand> written{{*shape, input->dtype}};
  if (rule.with_indices) {
    written.push_back({*shape, "int64"});
  }
  set_bytes(work, {operand(*input)}, written);
  return work;
}

// gradient, input, ..., indices: each element of the gradient is added to one of the input's.
constexpr std::string_view kPoolingBackward = "aten::max_pool2d_with_indices_backward";

CallWork pooling_backward_work(const TorchCall& call) {
  const TorchArgument* gradient = tensor(call, 0);
  const TorchArgument* input = tensor(call, 1);
  const TorchArgument* indices = tensor(call, 7);
  if (gradient == nullptr || input == nullptr || indices == nullptr) {
    return unknown_work(OpFamily::kReduction, "the shapes of its arguments are not recorded");
  }
  CallWork work;
  work.family = OpFamily::kReduction;
  work.backward = true;
  work.dtype = gradient->dtype;
  work.flops = op_flops(op_shape("Add", {}, {operand(*gradient)}));
  set_bytes(work, {operand(*gradient), operand(*indices)}, {operand(*input)});
  return work;
}

}  // namespace

std::optional<CallWork> torch_convolution(const TorchCall& call) {
  if (call.name == kBackward) {
    return backward_work(call);
  }
  if (call.name == kPoolingBackward) {
    return pooling_backward_work(call);
  }
  for (const ConvolutionRule& rule : kConvolutions) {
    if (rule.name == call.name) {
      return forward_work(call, rule);
    }
  }
  for (const PoolingRule& rule : kPooling) {
    if (rule.name == call.name) {
      return pooling_work(call, rule);
    }
  }
  return std::nullopt;
}

}  // namespace aaco::cost
