// SPDX-License-Identifier: MIT
// Scaled dot-product attention of PyTorch, of flash-attn and of AITER, forward and backward. With S queries and T keys
// in each of N heads: two products of S x T x head size forward; backward five, of which one computes the scores again.
#include <algorithm>
#include <array>
#include <cstddef>

#include "cost/torch_rule.h"

namespace aaco::cost {
namespace {

constexpr size_t kNone = SIZE_MAX;

enum class Layout : uint8_t {
  kHeadsFirst,
  kHeadsLast
};  // [batch, heads, length, size] or [batch, length, heads, size]

struct AttentionRule {
  std::string_view name;
  Layout layout;
  size_t causal;           // the argument: True or False, or the kind of a mask of which 0 is none
  size_t lengths = kNone;  // a tensor of where sequences begin; without them all are of one length
  bool backward = false;   // the gradient comes first
};

constexpr auto kAttention = std::to_array<AttentionRule>({
    {"aten::scaled_dot_product_attention", Layout::kHeadsFirst, 5},
    {"aten::_scaled_dot_product_flash_attention", Layout::kHeadsFirst, 4},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", Layout::kHeadsFirst, 4},
    {"aten::_scaled_dot_product_efficient_attention", Layout::kHeadsFirst, 6},
    {"aten::_scaled_dot_product_cudnn_attention", Layout::kHeadsFirst, 6},
    {"aten::_scaled_dot_product_fused_attention_overrideable", Layout::kHeadsFirst, 5},
    {"aten::_flash_attention_forward", Layout::kHeadsLast, 8, 3},
    {"aten::_efficient_attention_forward", Layout::kHeadsLast, 9, 4},
    {"aten::_cudnn_attention_forward", Layout::kHeadsFirst, 10, 4},
    {"flash_attn::_flash_attn_forward", Layout::kHeadsLast, 5},
    {"aiter::_flash_attn_forward", Layout::kHeadsLast, 5},
    {"aiter::mha_fwd", Layout::kHeadsLast, 5},
    {"aiter::fmha_v3_fwd", Layout::kHeadsLast, 5},
    {"aten::_scaled_dot_product_flash_attention_backward", Layout::kHeadsFirst, 11, 6, true},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", Layout::kHeadsFirst, 7, kNone, true},
    {"aten::_scaled_dot_product_efficient_attention_backward", Layout::kHeadsFirst, 11, kNone, true},
    {"aten::_scaled_dot_product_cudnn_attention_backward", Layout::kHeadsFirst, 14, 9, true},
    {"aten::_cudnn_attention_backward", Layout::kHeadsFirst, 14, 9, true},
    {"aten::_flash_attention_backward", Layout::kHeadsLast, 11, 6, true},
    {"aten::_efficient_attention_backward", Layout::kHeadsLast, 14, 6, true},
    {"flash_attn::_flash_attn_backward", Layout::kHeadsLast, 11, kNone, true},
    {"aiter::_flash_attn_backward", Layout::kHeadsLast, 11, kNone, true},
});

// Products of a number of scores with a head's size.
std::optional<double> products(const Shape& heads, int64_t queries, int64_t keys, int64_t head_size) {
  Shape rows = heads;
  rows.insert(rows.end(), {queries, head_size});
  Shape scores = heads;
  scores.insert(scores.end(), {queries, keys});
  return op_flops(op_shape("MatMul", {{rows, {}}}, {{scores, {}}}));
}

// The share of the scores that a causal mask leaves. Where there are not as many keys as queries, versions differ in
// which corner the mask starts from: all are counted then.
double unmasked(const TorchCall& call, const AttentionRule& rule, int64_t queries, int64_t keys) {
  const bool causal = boolean(call, rule.causal).value_or(integer(call, rule.causal).value_or(0) > 0);
  return causal && queries == keys && queries > 0
             ? (static_cast<double>(queries) + 1) / (2 * static_cast<double>(queries))
             : 1;
}

CallWork attention_work(const TorchCall& call, const AttentionRule& rule) {
  const size_t first = rule.backward ? 1 : 0;
  const TorchArgument* query = tensor(call, first);
  const TorchArgument* key = tensor(call, first + 1);
  const TorchArgument* weighted = tensor(call, first + 2);
  if (query == nullptr || key == nullptr || weighted == nullptr) {
    return unknown_work(OpFamily::kAttention, "the shapes of query, key and value are not recorded");
  }
  const TorchArgument* lengths = rule.lengths == kNone ? nullptr : tensor(call, rule.lengths);
  const bool packed = lengths != nullptr && lengths->shapes.front() != Shape{0};
  const Shape& q = query->shapes.front();
  const Shape& k = key->shapes.front();
  const Shape& v = weighted->shapes.front();
  if (packed || q.size() != 4 || k.size() != 4 || v.size() != 4) {
    return unknown_work(OpFamily::kAttention, "the lengths of its sequences are not recorded");
  }
  const size_t length_axis = rule.layout == Layout::kHeadsFirst ? 2 : 1;
  const size_t head_axis = 3 - length_axis;
  const Shape heads{q[0], q[head_axis]};
  const int64_t queries = q[length_axis];
  const int64_t keys = k[length_axis];
  const auto scores = products(heads, queries, keys, q[3]);
  const auto values = products(heads, queries, keys, v[3]);
  CallWork work;
  work.family = OpFamily::kAttention;
  work.backward = rule.backward;
  work.matrix = true;
  work.dtype = query->dtype;
  if (scores && values && k[3] == q[3] && v[length_axis] == keys) {
    // Backward: the scores again, and the gradients of query and key; those of the weights and of the value.
    work.flops = (rule.backward ? 3 * *scores + 2 * *values : *scores + *values) * unmasked(call, rule, queries, keys);
  }
  Shape output = q;
  output[3] = v[3];
  const Operand result{output, query->dtype};
  std::vector<Operand> read{operand(*query), operand(*key), operand(*weighted)};
  if (rule.backward) {
    const std::vector<Operand> written = read;
    read.insert(read.end(), {result, result});  // and its gradient
    set_bytes(work, read, written);
  } else {
    set_bytes(work, read, {result});
  }
  return work;
}

}  // namespace

std::optional<CallWork> torch_attention(const TorchCall& call) {
  const auto rule = std::find_if(kAttention.begin(), kAttention.end(),
                                 [&](const AttentionRule& attention_rule) { return attention_rule.name == call.name; });
  return rule == kAttention.end() ? std::nullopt : std::optional(attention_work(call, *rule));
}

}  // namespace aaco::cost
