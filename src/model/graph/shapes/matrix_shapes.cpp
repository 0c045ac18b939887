// SPDX-License-Identifier: MIT
// Products, reductions, normalisations with several outputs, attention and recurrent layers.
#include <algorithm>
#include <map>

#include "model/graph/shapes/shape_inference.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

std::optional<Dims> product_shape(std::optional<Dims> a, std::optional<Dims> b) {
  if (!a || !b || a->empty() || b->empty()) {
    return std::nullopt;
  }
  const bool row = a->size() == 1;
  const bool column = b->size() == 1;
  if (row) {
    a->insert(a->begin(), 1);
  }
  if (column) {
    b->push_back(1);
  }
  const int64_t m = (*a)[a->size() - 2];
  const int64_t n = b->back();
  const std::optional<Dims> batches[] = {Dims(a->begin(), a->end() - 2), Dims(b->begin(), b->end() - 2)};
  std::optional<Dims> shape = broadcast(batches);
  if (shape && !row) {
    shape->push_back(m);
  }
  if (shape && !column) {
    shape->push_back(n);
  }
  return shape;
}

void matmul(NodeView& node) {
  node.set_output(0, node.dtype(0), product_shape(node.known_shape(0), node.known_shape(1)));
}
void matmul_integer(NodeView& node) {
  node.set_output(0, "int32", product_shape(node.known_shape(0), node.known_shape(1)));
}
void quantized_matmul(NodeView& node) {
  node.set_output(0, node.dtype(7), product_shape(node.known_shape(0), node.known_shape(3)));
}
// X and W integer, then their scales, whose type is the output's.
void integer_to_float_matmul(NodeView& node) {
  node.set_output(0, node.dtype(2), product_shape(node.known_shape(0), node.known_shape(1)));
}

// transBatch moves the first axis behind the batch axes; trans swaps the last two.
std::optional<Dims> transposed(std::optional<Dims> shape, bool last_two, bool batch) {
  if (shape && shape->size() >= 2) {
    if (batch) {
      std::rotate(shape->begin(), shape->begin() + 1, shape->end() - 1);
    }
    if (last_two) {
      std::swap(shape->back(), (*shape)[shape->size() - 2]);
    }
  }
  return shape;
}

void fused_matmul(NodeView& node) {
  const auto a = transposed(node.known_shape(0), node.integer("transA", 0) != 0, node.integer("transBatchA", 0) != 0);
  const auto b = transposed(node.known_shape(1), node.integer("transB", 0) != 0, node.integer("transBatchB", 0) != 0);
  node.set_output(0, node.dtype(0), product_shape(a, b));
}

void gemm(NodeView& node) {
  const auto a = transposed(node.known_shape(0), node.integer("transA", 0) != 0, false);
  const auto b = transposed(node.known_shape(1), node.integer("transB", 0) != 0, false);
  node.set_output(0, node.dtype(0), a && b && a->size() == 2 && b->size() == 2 ? product_shape(a, b) : std::nullopt);
}

void matmul_nbits(NodeView& node) {
  std::optional<Dims> shape = node.known_shape(0);
  if (shape && !shape->empty()) {
    shape->back() = node.integer("N", -1);
  }
  node.set_output(0, node.dtype(0), shape);
}

// Equations with an explicit output and without ellipsis.
std::optional<Dims> einsum_shape(const NodeView& node) {
  std::string equation = node.text("equation", "");
  std::erase(equation, ' ');
  const size_t arrow = equation.find("->");
  if (arrow == std::string::npos || equation.find('.') != std::string::npos) {
    return std::nullopt;
  }
  std::map<char, int64_t> sizes;
  size_t operand = 0;
  size_t axis = 0;
  for (size_t at = 0; at < arrow; ++at) {
    if (equation[at] == ',') {
      ++operand;
      axis = 0;
      continue;
    }
    const Dims* shape = node.shape(operand);
    if (shape == nullptr || axis >= shape->size()) {
      return std::nullopt;
    }
    const int64_t size = (*shape)[axis++];
    int64_t& known = sizes.try_emplace(equation[at], 1).first->second;
    known = size == 1 ? known : size;
  }
  Dims result;
  for (const char label : equation.substr(arrow + 2)) {
    const auto size = sizes.find(label);
    result.push_back(size == sizes.end() ? -1 : size->second);
  }
  return result;
}

void einsum(NodeView& node) { node.set_output(0, node.dtype(0), einsum_shape(node)); }

std::optional<Dims> reduced(const NodeView& node, const std::optional<Dims>& axes, bool all, bool keep) {
  const Dims* input = node.shape(0);
  if (input == nullptr || (!axes && !all)) {
    return std::nullopt;
  }
  std::vector<bool> gone(input->size(), all);
  if (!all) {
    for (const int64_t axis : *axes) {
      const auto position = axis_position(axis, input->size());
      if (!position) {
        return std::nullopt;
      }
      gone[*position] = true;
    }
  }
  Dims shape;
  for (size_t axis = 0; axis < input->size(); ++axis) {
    if (!gone[axis]) {
      shape.push_back((*input)[axis]);
    } else if (keep) {
      shape.push_back(1);
    }
  }
  return shape;
}

void reduce(NodeView& node) {
  const std::optional<Dims> axes = node.attribute_or_input("axes", 1);
  const bool no_axes = node.has_neither("axes", 1) || (axes && axes->empty());
  const bool keep = node.integer("keepdims", 1) != 0;
  if (no_axes && node.integer("noop_with_empty_axes", 0) != 0) {
    node.set_output(0, node.dtype(0), node.known_shape(0));
  } else {
    node.set_output(0, node.dtype(0), reduced(node, axes, no_axes, keep));
  }
}

void arg_reduce(NodeView& node) {
  const Dims axis = {node.integer("axis", 0)};
  node.set_output(0, "int64", reduced(node, axis, false, node.integer("keepdims", 1) != 0));
}

void top_k(NodeView& node) {
  std::optional<Dims> shape = node.known_shape(0);
  const auto axis = shape ? axis_position(node.integer("axis", -1), shape->size()) : std::nullopt;
  if (!axis) {
    shape.reset();
  } else {
    const Dims* count = node.values(1);
    (*shape)[*axis] = count != nullptr && count->size() == 1 ? count->front() : node.integer("k", -1);
  }
  node.set_output(0, node.dtype(0), shape);
  node.set_output(1, "int64", shape);
}

void batch_normalization(NodeView& node) {
  node.set_output(0, node.dtype(0), node.known_shape(0));
  for (size_t i = 1; i < node.output_count(); ++i) {
    node.set_output(i, node.dtype(3), node.known_shape(3));
  }
}

// Mean and inverse deviation have length 1 from the axis on.
void layer_normalization(NodeView& node) {
  node.set_output(0, node.dtype(0), node.known_shape(0));
  std::optional<Dims> statistics = node.known_shape(0);
  const auto axis = statistics ? axis_position(node.integer("axis", -1), statistics->size()) : std::nullopt;
  if (!axis) {
    return;
  }
  std::fill(statistics->begin() + static_cast<std::ptrdiff_t>(*axis), statistics->end(), 1);
  node.set_output(1, "float32", statistics);
  node.set_output(2, "float32", statistics);
}

// The fourth output is the sum of input and skip; the statistics between are for training.
void skip_layer_normalization(NodeView& node) {
  node.set_output(0, node.dtype(0), node.known_shape(0));
  node.set_output(3, node.dtype(0), node.known_shape(0));
}

void embed_layer_normalization(NodeView& node) {
  const Dims* ids = node.shape(0);
  const Dims* table = node.shape(2);
  if (ids != nullptr && table != nullptr && ids->size() == 2 && table->size() == 2) {
    node.set_output(0, node.dtype(2), Dims{(*ids)[0], (*ids)[1], (*table)[1]});
    node.set_output(1, "int32", Dims{(*ids)[0]});
  }
}

// com.microsoft: the weights' columns hold the projections of query, key and value.
void packed_attention(NodeView& node) {
  const Dims* input = node.shape(0);
  const Dims* weights = node.shape(1);
  const auto sizes = node.integers("qkv_hidden_sizes");
  node.output(0).dtype = node.dtype(0);
  if (input == nullptr || weights == nullptr || input->size() != 3 || weights->size() != 2) {
    return;
  }
  const int64_t columns = (*weights)[1];
  const int64_t hidden = sizes && sizes->size() == 3 ? (*sizes)[2] : columns < 0 ? -1 : columns / 3;
  node.output(0).shape = Dims{(*input)[0], (*input)[1], hidden};
}

// The heads of a query, key or value: its second dimension, or an attribute where the heads are packed into the last.
int64_t head_count(const NodeView& node, const Dims& shape, const char* attribute) {
  const int64_t heads = shape.size() == 4 ? shape[1] : node.integer(attribute, -1);
  return heads > 0 && heads <= 65536 ? heads : -1;
}

int64_t head_size(const Dims& shape, int64_t heads) {
  if (shape.size() == 4) {
    return shape[3];
  }
  return heads > 0 && shape[2] >= 0 ? shape[2] / heads : -1;
}

// ONNX opset 23: Y in the query's layout with the value's head size, present key and value [B,heads,length,size],
// scores.
void standard_attention(NodeView& node) {
  for (size_t i = 0; i < node.output_count(); ++i) {
    node.output(i).dtype = node.dtype(i == 3 ? 0 : i);
  }
  const Dims* query = node.shape(0);
  const Dims* key = node.shape(1);
  const Dims* value = node.shape(2);
  const Dims* past = node.shape(4);
  const auto usable = [](const Dims* shape) { return shape != nullptr && (shape->size() == 3 || shape->size() == 4); };
  if (!usable(query) || !usable(key) || !usable(value)) {
    return;
  }
  const size_t length_axis = query->size() == 4 ? 2 : 1;
  const int64_t batch = (*query)[0];
  const int64_t queries = (*query)[length_axis];
  const int64_t own_keys = (*key)[key->size() == 4 ? 2 : 1];
  const bool has_past = node.input(4) != nullptr;
  const int64_t past_keys = !has_past ? 0 : past != nullptr && past->size() == 4 ? (*past)[2] : -1;
  const int64_t keys = own_keys < 0 || past_keys < 0 ? -1 : own_keys + past_keys;
  const int64_t heads = head_count(node, *query, "q_num_heads");
  const int64_t value_heads = head_count(node, *value, "kv_num_heads");
  const int64_t value_size = head_size(*value, value_heads);
  node.output(0).shape = query->size() == 4
                             ? Dims{batch, heads, queries, value_size}
                             : Dims{batch, queries, heads < 0 || value_size < 0 ? -1 : heads * value_size};
  node.output(1).shape = Dims{batch, value_heads, keys, head_size(*key, value_heads)};
  node.output(2).shape = Dims{batch, value_heads, keys, value_size};
  node.output(3).shape = Dims{batch, heads, queries, keys};
}

void attention(NodeView& node) {
  node.node().domain() == "com.microsoft" ? packed_attention(node) : standard_attention(node);
}

void multi_head_attention(NodeView& node) {
  const Dims* query = node.shape(0);
  const Dims* value = node.shape(2);
  node.output(0).dtype = node.dtype(0);
  if (query != nullptr && query->size() == 3 && value != nullptr && value->size() == 3) {
    node.output(0).shape = Dims{(*query)[0], (*query)[1], (*value)[2]};
  }
}

// Outputs Y [T,D,B,H], Y_h and Y_c [D,B,H]; with layout 1 the batch leads.
void recurrent(NodeView& node) {
  const Dims* input = node.shape(0);
  const Dims* weights = node.shape(2);
  if (input == nullptr || weights == nullptr || input->size() != 3 || weights->size() != 3) {
    return;
  }
  const bool batch_first = node.integer("layout", 0) != 0;
  const int64_t steps = (*input)[batch_first ? 1 : 0];
  const int64_t batch = (*input)[batch_first ? 0 : 1];
  const int64_t directions = (*weights)[0];
  const int64_t hidden = (*weights)[2];
  const Dims state = batch_first ? Dims{batch, directions, hidden} : Dims{directions, batch, hidden};
  node.set_output(0, node.dtype(0),
                  batch_first ? Dims{batch, steps, directions, hidden} : Dims{steps, directions, batch, hidden});
  node.set_output(1, node.dtype(0), state);
  node.set_output(2, node.dtype(0), state);
}

}  // namespace

std::span<const ShapeRule> matrix_shape_rules() {
  static constexpr ShapeRule kRules[] = {{"MatMul", matmul},
                                         {"Gemm", gemm},
                                         {"FusedMatMul", fused_matmul},
                                         {"FusedGemm", gemm},
                                         {"MatMulInteger", matmul_integer},
                                         {"QLinearMatMul", quantized_matmul},
                                         {"MatMulIntegerToFloat", integer_to_float_matmul},
                                         {"DynamicQuantizeMatMul", matmul},
                                         {"MatMulNBits", matmul_nbits},
                                         {"Einsum", einsum},
                                         {"ReduceSum", reduce},
                                         {"ReduceMean", reduce},
                                         {"ReduceMax", reduce},
                                         {"ReduceMin", reduce},
                                         {"ReduceProd", reduce},
                                         {"ReduceL1", reduce},
                                         {"ReduceL2", reduce},
                                         {"ReduceLogSum", reduce},
                                         {"ReduceLogSumExp", reduce},
                                         {"ReduceSumSquare", reduce},
                                         {"ArgMax", arg_reduce},
                                         {"ArgMin", arg_reduce},
                                         {"TopK", top_k},
                                         {"BatchNormalization", batch_normalization},
                                         {"LayerNormalization", layer_normalization},
                                         {"SkipLayerNormalization", skip_layer_normalization},
                                         {"SkipSimplifiedLayerNormalization", skip_layer_normalization},
                                         {"EmbedLayerNormalization", embed_layer_normalization},
                                         {"Attention", attention},
                                         {"MultiHeadAttention", multi_head_attention},
                                         {"RNN", recurrent},
                                         {"GRU", recurrent},
                                         {"LSTM", recurrent}};
  return kRules;
}

}  // namespace aaco
