// SPDX-License-Identifier: MIT
#include "model/graph/shapes/consumers.h"

#include <algorithm>
#include <array>

#include "model/graph/node_view.h"
#include "onnx.pb.h"

namespace aaco {

namespace {

using Sizes = std::vector<int64_t>;

constexpr std::string_view kMicrosoft = "com.microsoft";
constexpr int64_t kFew = 10;

int64_t size_at(const Dims* shape, int64_t axis) {
  const auto at = shape == nullptr ? std::nullopt : axis_position(axis, shape->size());
  return at ? (*shape)[*at] : -1;
}

template <size_t Input, int64_t Axis>
Sizes axis_of(const NodeView& node) {
  return {size_at(node.shape(Input), Axis)};
}

template <size_t Input>
Sizes attribute_axis_of(const NodeView& node) {
  return {size_at(node.shape(Input), node.integer("axis", 0))};
}

Sizes gather_axis(const NodeView& node) { return {size_at(node.shape(0), node.integer("gather_axis", 0))}; }

// One size for each coordinate that the last axis of the indices holds.
Sizes coordinates(const NodeView& node) {
  const Dims* data = node.shape(0);
  const Dims* indices = node.shape(1);
  if (data == nullptr || indices == nullptr || indices->empty() || indices->back() < 1) {
    return {};
  }
  const int64_t first = node.node().op_type() == "GatherND" ? node.integer("batch_dims", 0) : 0;
  Sizes sizes;
  for (int64_t i = 0; i < indices->back() && i < static_cast<int64_t>(kMaxRank); ++i) {
    sizes.push_back(first + i < 0 ? -1 : size_at(data, first + i));
  }
  return sizes;
}

Sizes one_hot_depth(const NodeView& node) {
  const Dims* depth = node.values(1);
  return {depth == nullptr || depth->size() != 1 ? -1 : depth->front()};
}

// A single position is where a sequence starts: all of it must fit.
Sizes rotary_rows(const NodeView& node) {
  const int64_t rows = size_at(node.shape(2), 0);
  const Dims* x = node.shape(0);
  const Dims* places = node.shape(1);
  if (places == nullptr || places->size() != 1 || x == nullptr || rows < 0) {
    return {rows};
  }
  const int64_t steps = size_at(x, x->size() == 4 ? 2 : 1);
  return {steps < 0 ? -1 : rows - steps + 1};
}

// Steps of a recurrent network's input, time first unless layout says otherwise.
Sizes recurrent_steps(const NodeView& node) { return {size_at(node.shape(0), node.integer("layout", 0))}; }
Sizes reversed_steps(const NodeView& node) { return {size_at(node.shape(0), node.integer("time_axis", 0))}; }

// Cached and new tokens of com.microsoft.GroupQueryAttention; -1 where the shapes do not tell.
int64_t attended(const NodeView& node) {
  const TensorFacts* keys = node.input(1);
  const int64_t fresh = size_at(node.shape(keys == nullptr ? 0 : 1), 1);
  const TensorFacts* past = node.input(3);
  const int64_t cached = past == nullptr ? 0 : size_at(node.shape(3), 2);
  return fresh < 0 || cached < 0 ? -1 : cached + fresh;
}
Sizes total_length(const NodeView& node) { return {attended(node)}; }
Sizes last_place(const NodeView& node) { return {std::max<int64_t>(attended(node) - 1, -1)}; }

// As many valid tokens as the cache of ai.onnx.Attention has.
Sizes valid_keys(const NodeView& node) {
  const Dims* keys = node.shape(1);
  return {keys == nullptr || keys->size() < 3 ? -1 : size_at(keys, -2)};
}

// A mask of one axis holds a length for each sequence; of more, ones and zeros.
bool holds_lengths(const NodeView& node, size_t input) {
  const Dims* shape = node.shape(input);
  return shape != nullptr && shape->size() == 1;
}

Sizes none(const NodeView& /*node*/) { return {}; }
template <int64_t... Values>
Sizes fixed(const NodeView& /*node*/) {
  return {Values...};
}

// As many values as operand `Input` has elements.
template <size_t Input, int64_t Value>
Sizes all_of(const NodeView& node) {
  const int64_t count = size_at(node.shape(Input), 0);
  return count < 0 || count > static_cast<int64_t>(kMaxValues) ? Sizes{Value}
                                                               : Sizes(static_cast<size_t>(count), Value);
}

Sizes like_data(const NodeView& node) {
  const Dims* data = node.shape(0);
  const int64_t wanted = size_at(node.shape(1), 0);
  if (wanted < 1 || wanted > static_cast<int64_t>(kMaxRank)) {
    return {};
  }
  const auto rank = static_cast<size_t>(wanted);
  const bool known = data != nullptr && std::ranges::none_of(*data, [](int64_t size) { return size < 0; });
  if (known && data->size() == rank) {
    return *data;
  }
  // Everything on one axis; that many elements are counted by the runtime.
  Sizes shape(rank, 1);
  shape.front() = -1;
  return shape;
}

Sizes broadcast_shape(const NodeView& node) {
  const Dims* data = node.shape(0);
  const int64_t wanted = size_at(node.shape(1), 0);
  if (wanted < 1 || wanted > static_cast<int64_t>(kMaxRank)) {
    return {};
  }
  Sizes shape(static_cast<size_t>(wanted), 1);
  for (size_t i = 0; data != nullptr && i < data->size() && i < shape.size(); ++i) {
    shape[shape.size() - 1 - i] = std::max<int64_t>((*data)[data->size() - 1 - i], 1);
  }
  return shape;
}

int64_t known_or(int64_t size, int64_t otherwise) { return size < 0 ? otherwise : size; }

Sizes top_k(const NodeView& node) {
  return {std::min<int64_t>(kFew, known_or(size_at(node.shape(0), node.integer("axis", -1)), kFew))};
}

// Twice the height and width; batch and channels stay.
Sizes resized(const NodeView& node) {
  const Dims* data = node.shape(0);
  Sizes sizes;
  for (size_t i = 0; data != nullptr && i < data->size(); ++i) {
    sizes.push_back(known_or((*data)[i], 16) * (i < 2 && data->size() > 2 ? 1 : 2));
  }
  const auto axes = node.integers("axes");
  Sizes chosen;
  for (const int64_t axis : axes.value_or(Dims{})) {
    const auto at = axis_position(axis, sizes.size());
    chosen.push_back(at ? sizes[*at] : 16);
  }
  return axes ? chosen : sizes;
}

Sizes scales(const NodeView& node) {
  const Dims* data = node.shape(0);
  Sizes sizes;
  for (size_t i = 0; data != nullptr && i < data->size(); ++i) {
    sizes.push_back(i < 2 && data->size() > 2 ? 1 : 2);
  }
  const auto axes = node.integers("axes");
  return axes ? Sizes(axes->size(), 2) : sizes;
}

// The axes that a Slice names, or the leading ones.
Sizes sliced_axes(const NodeView& node) {
  const int64_t count =
      std::max<int64_t>({size_at(node.shape(1), 0), size_at(node.shape(2), 0), size_at(node.shape(3), 0), int64_t{1}});
  if (const Dims* axes = node.values(3)) {
    return *axes;
  }
  Sizes axes;
  for (int64_t i = 0; i < count && i < static_cast<int64_t>(kMaxRank); ++i) {
    axes.push_back(i);
  }
  return axes;
}

Sizes slice_ends(const NodeView& node) {
  Sizes ends;
  for (const int64_t axis : sliced_axes(node)) {
    ends.push_back(known_or(size_at(node.shape(0), axis), kFew));
  }
  return ends;
}

Sizes zeros_for_axes(const NodeView& node) { return Sizes(sliced_axes(node).size(), 0); }
Sizes ones_for_axes(const NodeView& node) { return Sizes(sliced_axes(node).size(), 1); }

Sizes split_sizes(const NodeView& node) {
  const auto parts = static_cast<int64_t>(node.output_count());
  const int64_t size = size_at(node.shape(0), node.integer("axis", 0));
  if (size < parts || parts < 1) {
    return {};
  }
  Sizes sizes(static_cast<size_t>(parts), size / parts);
  sizes.back() += size % parts;
  return sizes;
}

Sizes paddings(const NodeView& node) {
  const Dims* data = node.shape(0);
  const int64_t count =
      known_or(size_at(node.shape(1), 0), data == nullptr ? 1 : 2 * static_cast<int64_t>(data->size()));
  return count > 2 * static_cast<int64_t>(kMaxRank) ? Sizes{} : Sizes(static_cast<size_t>(count), 1);
}

Sizes grid(const NodeView& node) {
  const Dims* theta = node.shape(0);
  Sizes sizes{known_or(size_at(theta, 0), 1), 1, 16, 16};
  if (size_at(theta, 1) == 3) {
    sizes.push_back(16);
  }
  return sizes;
}

Sizes cropped(const NodeView& node) {
  const Dims* data = node.shape(0);
  return data == nullptr ? Sizes{} : Sizes(*data);
}

Sizes unpooled(const NodeView& node) {
  Sizes sizes = cropped(node);
  for (size_t i = 2; i < sizes.size(); ++i) {
    sizes[i] = known_or(sizes[i], 8) * 2;
  }
  return sizes;
}

using enum ValueRole;

constexpr std::array kConsumers{
    Consumer{"", "Gather", 1, kIndex, "", attribute_axis_of<0>, 0},
    Consumer{"", "GatherElements", 1, kIndex, "", attribute_axis_of<0>, 0},
    Consumer{"", "GatherND", 1, kIndex, "", coordinates, 0},
    Consumer{"", "Scatter", 1, kIndex, "", attribute_axis_of<0>, 0},
    Consumer{"", "ScatterElements", 1, kIndex, "", attribute_axis_of<0>, 0},
    Consumer{"", "ScatterND", 1, kIndex, "", coordinates, 0},
    Consumer{"", "OneHot", 0, kIndex, "", one_hot_depth},
    Consumer{"", "RoiAlign", 2, kIndex, "", axis_of<0, 0>, 0},
    Consumer{"", "RotaryEmbedding", 3, kIndex, "", axis_of<1, 0>, 1},
    Consumer{kMicrosoft, "RotaryEmbedding", 1, kIndex, "", rotary_rows, 2},
    Consumer{kMicrosoft, "GatherBlockQuantized", 1, kIndex, "", gather_axis, 0},
    Consumer{kMicrosoft, "EmbedLayerNormalization", 0, kIndex, "", axis_of<2, 0>, 2},
    Consumer{kMicrosoft, "EmbedLayerNormalization", 1, kIndex, "", axis_of<4, 0>, 4},
    Consumer{kMicrosoft, "EmbedLayerNormalization", 8, kIndex, "", axis_of<3, 0>, 3},
    Consumer{"ai.onnx.ml", "ArrayFeatureExtractor", 1, kIndex, "", axis_of<0, -1>, 0},

    Consumer{"", "LSTM", 4, kLength, "the number of valid steps", recurrent_steps},
    Consumer{"", "GRU", 4, kLength, "the number of valid steps", recurrent_steps},
    Consumer{"", "RNN", 4, kLength, "the number of valid steps", recurrent_steps},
    Consumer{kMicrosoft, "AttnLSTM", 4, kLength, "the number of valid steps", recurrent_steps},
    Consumer{"", "ReverseSequence", 1, kLength, "the number of steps to reverse", reversed_steps},
    Consumer{"", "Attention", 6, kLength, "the number of valid keys", valid_keys},
    Consumer{kMicrosoft, "GroupQueryAttention", 5, kLength, "the place of the last token", last_place},
    Consumer{kMicrosoft, "GroupQueryAttention", 6, kLength, "the number of tokens, cached and new", total_length},
    Consumer{kMicrosoft, "Attention", 3, kLength, "the number of valid tokens", axis_of<0, 1>},
    Consumer{kMicrosoft, "QAttention", 5, kLength, "the number of valid tokens", axis_of<0, 1>},
    Consumer{kMicrosoft, "MultiHeadAttention", 4, kLength, "the number of valid keys", axis_of<1, 1>},

    Consumer{"", "Loop", 0, kSize, "the number of iterations", fixed<kFew>},
    Consumer{"", "Range", 0, kSize, "the start", fixed<0>},
    Consumer{"", "Range", 1, kSize, "the limit", fixed<kFew>},
    Consumer{"", "Range", 2, kSize, "the step", fixed<1>},
    Consumer{"", "TopK", 1, kSize, "the number of elements", top_k},
    Consumer{"", "Tile", 1, kSize, "the repeats", all_of<1, 1>},
    Consumer{"", "Resize", 1, kSize, "the scales", scales},  // of opset 10; later ones have a region there
    Consumer{"", "Resize", 2, kSize, "the scales", scales},
    Consumer{"", "Resize", 3, kSize, "the output's sizes", resized},
    Consumer{"", "Upsample", 1, kSize, "the scales", scales},
    Consumer{"", "Slice", 1, kSize, "the starts", zeros_for_axes},
    Consumer{"", "Slice", 2, kSize, "the ends", slice_ends},
    Consumer{"", "Slice", 3, kSize, "the axes", sliced_axes},
    Consumer{"", "Slice", 4, kSize, "the steps", ones_for_axes},
    Consumer{"", "Reshape", 1, kSize, "the shape", like_data},
    Consumer{"", "Expand", 1, kSize, "the shape", broadcast_shape},
    Consumer{"", "ConstantOfShape", 0, kSize, "the shape", all_of<0, 4>},
    Consumer{"", "OneHot", 1, kSize, "the depth", fixed<kFew>},
    Consumer{"", "Pad", 1, kSize, "the padding", paddings},
    Consumer{kMicrosoft, "Pad", 1, kSize, "the padding", paddings},
    Consumer{"", "Split", 1, kSize, "the sizes of the parts", split_sizes},
    Consumer{"", "SplitToSequence", 1, kSize, "the sizes of the parts", fixed<1>},
    Consumer{"", "NonMaxSuppression", 2, kSize, "the number of boxes for a class", fixed<kFew>},
    Consumer{"", "CenterCropPad", 1, kSize, "the shape", cropped},
    Consumer{"", "AffineGrid", 1, kSize, "the size", grid},
    Consumer{"", "MaxUnpool", 2, kSize, "the output's shape", unpooled},
    Consumer{"", "Col2Im", 1, kSize, "the image's shape", none},
    Consumer{"", "Col2Im", 2, kSize, "the block's shape", none},
    Consumer{"", "HannWindow", 0, kSize, "the length", fixed<16>},
    Consumer{"", "HammingWindow", 0, kSize, "the length", fixed<16>},
    Consumer{"", "BlackmanWindow", 0, kSize, "the length", fixed<16>},
    Consumer{"", "DFT", 1, kSize, "the length", fixed<16>},
    Consumer{"", "STFT", 1, kSize, "the frames' distance", fixed<16>},
    Consumer{"", "STFT", 3, kSize, "the frames' length", fixed<32>},
    Consumer{"", "MelWeightMatrix", 0, kSize, "the number of bands", fixed<8>},
    Consumer{"", "MelWeightMatrix", 1, kSize, "the length of the transform", fixed<256>},
    Consumer{"", "MelWeightMatrix", 2, kSize, "the rate of samples", fixed<16000>},
    Consumer{"", "MelWeightMatrix", 3, kSize, "the lowest frequency", fixed<0>},
    Consumer{"", "MelWeightMatrix", 4, kSize, "the highest frequency", fixed<8000>},
    Consumer{"", "TensorScatter", 2, kSize, "the places to write at", fixed<0>},
    Consumer{kMicrosoft, "BeamSearch", 1, kSize, "the greatest length", fixed<20>},
    Consumer{kMicrosoft, "BeamSearch", 2, kSize, "the least length", fixed<1>},
    Consumer{kMicrosoft, "BeamSearch", 3, kSize, "the number of beams", fixed<4>},
    Consumer{kMicrosoft, "BeamSearch", 4, kSize, "the number of sequences returned", fixed<1>},
    Consumer{kMicrosoft, "GreedySearch", 1, kSize, "the greatest length", fixed<20>},
    Consumer{kMicrosoft, "GreedySearch", 2, kSize, "the least length", fixed<1>},
    Consumer{kMicrosoft, "Sampling", 1, kSize, "the greatest length", fixed<20>},
    Consumer{kMicrosoft, "Sampling", 2, kSize, "the least length", fixed<1>},
    Consumer{kMicrosoft, "WhisperBeamSearch", 1, kSize, "the greatest length", fixed<20>},
    Consumer{kMicrosoft, "WhisperBeamSearch", 2, kSize, "the least length", fixed<1>},
    Consumer{kMicrosoft, "WhisperBeamSearch", 3, kSize, "the number of beams", fixed<4>},
    Consumer{kMicrosoft, "WhisperBeamSearch", 4, kSize, "the number of sequences returned", fixed<1>},

    Consumer{"", "CumSum", 1, kChoice, "the axis", none},
    Consumer{"", "Squeeze", 1, kChoice, "the axes", none},
    Consumer{"", "Unsqueeze", 1, kChoice, "the axes", none},
    Consumer{"", "ReduceSum", 1, kChoice, "the axes", none},
    Consumer{"", "ReduceMean", 1, kChoice, "the axes", none},
    Consumer{"", "ReduceMax", 1, kChoice, "the axes", none},
    Consumer{"", "ReduceMin", 1, kChoice, "the axes", none},
    Consumer{"", "ReduceProd", 1, kChoice, "the axes", none},
    Consumer{"", "ReduceL2", 1, kChoice, "the axes", none},
    Consumer{"", "Trilu", 1, kChoice, "the diagonal", none},
    Consumer{"", "SequenceAt", 1, kChoice, "the place", none},
    Consumer{"", "SequenceErase", 1, kChoice, "the place", none},
    Consumer{"", "SequenceInsert", 2, kChoice, "the place", none}};

}  // namespace

const Consumer* consumer_of(const NodeView& node, size_t input) {
  const std::string& domain = node.node().domain();
  const std::string& op_type = node.node().op_type();
  const std::string_view own = domain == "ai.onnx" ? std::string_view() : std::string_view(domain);
  const auto* const consumer = std::ranges::find_if(kConsumers, [&](const Consumer& each) {
    return each.op_type == op_type && each.input == static_cast<int>(input) && each.domain == own;
  });
  if (consumer == kConsumers.end()) {
    return nullptr;
  }
  if (op_type == "Resize" && input == 1 && node.input_count() != 2) {
    return nullptr;
  }
  const bool is_mask = own == kMicrosoft && consumer->role == kLength && op_type != "GroupQueryAttention";
  return is_mask && !holds_lengths(node, input) ? nullptr : consumer;
}

}  // namespace aaco
