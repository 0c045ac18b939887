// SPDX-License-Identifier: MIT
// Attention in its ONNX and com.microsoft forms. With batch B, query heads N, S queries, T keys, head sizes D (query,
// key) and E (value): 2 B N S T D for the scores, 2 B N S T E for the weighted values, and per score one scaling and
// five for the softmax (six with a bias or mask, which is added). Masked scores count.
#include <array>

#include "cost/flops_rule.h"
#include "cost/shape_arithmetic.h"

namespace aaco::cost {
namespace {

struct Heads {
  double batch = kUnknown;
  double queries = kUnknown;       // S
  double keys = kUnknown;          // T, those of the past included
  double query_hidden = kUnknown;  // N D
  double value_hidden = kUnknown;  // N E
  double heads = kUnknown;         // N
  bool added_bias = false;
};

double core(const Heads& at) {
  const double pairs = at.batch * at.queries * at.keys;
  return pairs * (2 * at.query_hidden + 2 * at.value_hidden + at.heads * (at.added_bias ? 7 : 6));
}

double positive(int64_t value) { return value > 0 ? static_cast<double>(value) : kUnknown; }

double past_length(const OpShape& op, size_t past, int axis) {
  return has_input(op, past) ? input_dim(op, past, axis) : 0;
}

// com.microsoft: input [B,S,H], weights [H, Q+K+V], bias, mask_index, past [2,B,N,P,D], attention_bias,
// past_sequence_length.
double packed_attention(const OpShape& op) {
  Heads at;
  at.batch = input_dim(op, 0, 0);
  at.queries = input_dim(op, 0, 1);
  at.keys = at.queries + past_length(op, 4, 3);
  at.heads = positive(attribute(op, "num_heads"));
  at.value_hidden = output_dim(op, 0, 2);
  at.added_bias = has_input(op, 3) || has_input(op, 5);
  const double projected = input_dim(op, 1, 1);
  at.query_hidden = (projected - at.value_hidden) / 2;  // queries and keys share a size
  const double projection = at.batch * at.queries * projected * (2 * input_dim(op, 0, 2) + (has_input(op, 2) ? 1 : 0));
  return projection + core(at);
}

// com.microsoft: query [B,S,N D], or packed [B,S,N,3,D]; key [B,T,N D], or [B,N,T,D] for cross attention, or packed
// with the value [B,T,N,2,D]; value; bias of the projections, key_padding_mask, attention_bias, past_key [B,N,P,D],
// past_value, past_sequence_length.
double multi_head_attention(const OpShape& op) {
  Heads at;
  at.batch = input_dim(op, 0, 0);
  at.queries = input_dim(op, 0, 1);
  at.heads = positive(attribute(op, "num_heads"));
  at.value_hidden = output_dim(op, 0, 2);
  const size_t rank = input_rank(op, 0);
  at.query_hidden = rank == 5 ? input_dim(op, 0, 2) * input_dim(op, 0, 4) : rank == 3 ? input_dim(op, 0, 2) : kUnknown;
  const double own_keys = !has_input(op, 1) ? at.queries : input_dim(op, 1, input_rank(op, 1) == 4 ? 2 : 1);
  at.keys = own_keys + past_length(op, 6, 2);
  at.added_bias = has_input(op, 4) || has_input(op, 5);
  const double projection_bias =
      has_input(op, 3) ? at.batch * (at.queries * at.query_hidden + own_keys * (at.query_hidden + at.value_hidden)) : 0;
  return projection_bias + core(at);
}

// com.microsoft: query [B,S,N D], key [B,S,M D], value, past_key [B,M,P,D]; attention_bias is input 10, and present_key
// the second output.
double group_query_attention(const OpShape& op) {
  Heads at;
  at.batch = input_dim(op, 0, 0);
  at.queries = input_dim(op, 0, 1);
  at.heads = positive(attribute(op, "num_heads"));
  at.value_hidden = output_dim(op, 0, 2);
  at.query_hidden = at.value_hidden;
  at.keys = output_dim(op, 1, 2);
  at.added_bias = has_input(op, 10);
  return core(at);
}

// ONNX opset 23: Q, K, V as [B,heads,length,D] or [B,length,heads D]; attn_mask, past_key, past_value.
double standard_attention(const OpShape& op) {
  const bool split = input_rank(op, 0) == 4;
  const int length_axis = split ? 2 : 1;
  Heads at;
  at.batch = input_dim(op, 0, 0);
  at.queries = input_dim(op, 0, length_axis);
  at.keys = input_dim(op, 1, length_axis) + past_length(op, 4, 2);
  at.heads = split ? input_dim(op, 0, 1) : positive(attribute(op, "q_num_heads"));
  at.query_hidden = split ? at.heads * input_dim(op, 0, 3) : input_dim(op, 0, 2);
  at.value_hidden = split ? at.heads * input_dim(op, 2, 3) : output_dim(op, 0, 2);
  at.added_bias = has_input(op, 3);
  return core(at);
}

double attention(const OpShape& op) {
  return op.domain == "com.microsoft" ? packed_attention(op) : standard_attention(op);
}

// Each rotated element: two multiplications and an addition.
double rotary_embedding(const OpShape& op) {
  const auto rotated = static_cast<double>(attribute(op, "rotary_embedding_dim"));
  if (rotated == 0) {
    return 3 * input_elements(op, 0);
  }
  const double head_size =
      input_rank(op, 0) == 4 ? input_dim(op, 0, 3) : input_dim(op, 0, 2) / positive(attribute(op, "num_heads"));
  return 3 * input_elements(op, 0) * rotated / head_size;
}

}  // namespace

bool hides_past_length(const OpShape& op) {
  if (op.domain != "com.microsoft") {
    return false;
  }
  if (op.op_type == "GroupQueryAttention") {
    // A shared buffer is as long before as after; one of unknown length may be.
    return has_input(op, 3) && !(input_dim(op, 3, 2) < output_dim(op, 1, 2));
  }
  return attribute(op, "past_present_share_buffer") != 0 || (op.op_type == "Attention" && has_input(op, 6)) ||
         (op.op_type == "MultiHeadAttention" && has_input(op, 8));  // past_sequence_length
}

std::span<const FlopsRule> attention_rules() {
  static constexpr auto kRules = std::to_array<FlopsRule>({
      {"Attention", attention},
      {"MultiHeadAttention", multi_head_attention},
      {"GroupQueryAttention", group_query_attention},
      {"RotaryEmbedding", rotary_embedding},
  });
  return kRules;
}

}  // namespace aaco::cost
