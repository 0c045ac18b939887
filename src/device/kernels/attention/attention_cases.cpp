// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <string>

#include "device/check/op_case.h"

namespace aaco {

namespace {

// Weights, and gradients of scores, may be rounded to the type before they are multiplied: each by at most this share
// of itself, half the distance of 1 to the next number. A sum that they weigh moves by at most this share of the sum of
// its terms' magnitudes. For a mean that is at most the largest value, here 1; for gradients, what their bound is
// relative to anyway.
double rounding_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16:
      return 0x1p-11;
    case Dtype::kBf16:
      return 0x1p-8;
    default:
      return 0;
  }
}

constexpr double kRelative = 5e-6;
constexpr const char* kWhy = "scores of a few units differ by some 1e-6, so weights do; relative to the largest value";
constexpr double kRelativeGrad = 3e-6;
constexpr const char* kWhyGrad =
    "fp32 sums of head_dim products, times weights; relative to scale * head_dim / 2 and the sum of the weights";

std::string why(const char* in_fp32, Dtype dtype) {
  const char* rounding = dtype == Dtype::kF16    ? "; factors rounded to fp16, each by at most 2^-11 of itself"
                         : dtype == Dtype::kBf16 ? "; factors rounded to bf16, each by at most 2^-8 of itself"
                                                 : "";
  return std::string(in_fp32) + rounding;
}

struct Shape {
  int32_t batch, heads, kv_heads, q_len, kv_len, head_dim;
};

std::string name_of(const Shape& shape, Dtype dtype, bool causal) {
  return std::to_string(shape.batch) + " x " + std::to_string(shape.heads) + " heads (" +
         std::to_string(shape.kv_heads) + " of keys), " + std::to_string(shape.q_len) + " x " +
         std::to_string(shape.kv_len) + ", dim " + std::to_string(shape.head_dim) + " " + name_of(dtype) +
         (causal ? ", causal" : "");
}

// Rows of q [batch, row, head, d] with a gap between them, of 16 bytes or an odd one; keys and values side by side in
// one row; heads before rows in out.
AttentionArgs args_of(const Shape& shape, Dtype dtype, bool causal) {
  AttentionArgs args;
  args.batch = shape.batch;
  args.heads = shape.heads;
  args.kv_heads = shape.kv_heads;
  args.q_len = shape.q_len;
  args.kv_len = shape.kv_len;
  args.head_dim = shape.head_dim;
  args.scale = 1 / std::sqrt(static_cast<float>(shape.head_dim));
  args.causal = causal ? 1 : 0;
  args.dtype = dtype;
  const int64_t dim = shape.head_dim;
  const int64_t q_row = shape.heads * dim + (shape.heads % 2 == 0 ? 8 : 3);
  const int64_t kv_row = int64_t{2} * shape.kv_heads * dim;
  args.q_layout = {shape.q_len * q_row, q_row, dim};
  args.kv_layout = {shape.kv_len * kv_row, kv_row, dim};
  args.out_layout = {int64_t{shape.heads} * shape.q_len * dim, dim, shape.q_len * dim};
  return args;
}

// Where the values' rows begin in the keys' array; there are none in an empty one.
int64_t values_offset(const AttentionArgs& args) {
  const int64_t elements = args.batch * args.kv_layout.batch == 0 ? 0 : int64_t{args.kv_heads} * args.head_dim;
  return elements * size_of(args.dtype);
}

void take_keys(CaseMemory& memory, AttentionArgs& args) {
  auto* kv = static_cast<std::byte*>(memory.random(args.dtype, args.batch * args.kv_layout.batch, -1, 1));
  args.k = kv;
  args.v = kv + values_offset(args);
}

// `out` and the log-sums need not fit the rest: the formula holds for any.
void add_gradient(std::vector<OpCase>& cases, const std::string& name, const AttentionArgs& empty, bool by_pairs,
                  bool turned) {
  const Dtype dtype = empty.dtype;
  const int64_t rows = int64_t{empty.batch} * empty.heads * empty.q_len;
  cases.push_back(make_case<AttentionGradArgs>(
      name + (by_pairs ? " by pairs" : "") + (turned ? " of turned rows" : ""), kRelativeGrad + rounding_of(dtype),
      why(kWhyGrad, dtype), [=](CaseMemory& memory, AttentionGradArgs& args) {
        args.forward = empty;
        const double dim = empty.head_dim;
        const int32_t group = empty.heads / empty.kv_heads;
        const double per_key = std::max(1.0, static_cast<double>(group) * empty.q_len / std::max(1, empty.kv_len));
        args.forward.q = memory.random(dtype, empty.batch * empty.q_layout.batch, -1, 1);
        take_keys(memory, args.forward);
        args.forward.out = memory.random(dtype, empty.batch * empty.out_layout.batch, -1, 1);
        const double log_keys = std::log(std::max(1, empty.kv_len));
        args.forward.log_sum = memory.floats(rows, log_keys, log_keys + 1);
        args.out_grad = memory.random(dtype, empty.batch * empty.out_layout.batch, -1, 1);
        args.dq = memory.output(dtype, empty.batch * empty.q_layout.batch, std::sqrt(dim) / 2);
        auto* dkv = static_cast<std::byte*>(
            memory.output(dtype, empty.batch * empty.kv_layout.batch, per_key * std::sqrt(dim) / 2));
        args.dk = dkv;
        args.dv = dkv + values_offset(empty);
        args.delta = static_cast<float*>(memory.output(Dtype::kF32, rows, dim / 4));
        if (turned) {
          const int32_t positions = std::max(empty.q_len, empty.kv_len);
          args.turn =
              static_cast<const float*>(memory.given(Dtype::kF32, int64_t{positions} * empty.head_dim, [](int64_t i) {
                const int64_t pair = i / 2;
                const double angle = 0.1 * static_cast<double>(pair);
                return i % 2 == 0 ? std::cos(angle) : std::sin(angle);
              }));
        }
        if (by_pairs) {
          args.pairs = static_cast<float*>(memory.output(Dtype::kF32, 2 * rows * empty.kv_len, 1));
        }
      }));
}

void add(std::vector<OpCase>& cases, const Shape& shape, Dtype dtype, bool causal) {
  const AttentionArgs empty = args_of(shape, dtype, causal);
  const int64_t rows = int64_t{shape.batch} * shape.heads * shape.q_len;
  const std::string name = name_of(shape, dtype, causal);
  cases.push_back(make_case<AttentionArgs>(
      name, kRelative + rounding_of(dtype), why(kWhy, dtype), [=](CaseMemory& memory, AttentionArgs& args) {
        args = empty;
        args.q = memory.random(dtype, shape.batch * args.q_layout.batch, -1, 1);
        take_keys(memory, args);
        args.out = memory.output(dtype, shape.batch * args.out_layout.batch, 1);
        args.log_sum = causal ? static_cast<float*>(memory.output(Dtype::kF32, rows, 1)) : nullptr;
      }));
  for (const bool by_pairs : {false, true}) {
    if (by_pairs && dtype != Dtype::kF32 && int64_t{shape.q_len} * shape.kv_len > 2000) {
      continue;  // on matrix units pairs are not used
    }
    for (const bool turned : {false, true}) {
      if (turned && shape.head_dim % 2 != 0) {
        continue;
      }
      add_gradient(cases, name, empty, by_pairs, turned);
    }
  }
}

// What comes from no rounded factor, held to the bound of fp32: with values of 0 the log-sums, with weights of 0 delta.
void add_statistics(std::vector<OpCase>& cases, const Shape& shape, Dtype dtype, bool causal) {
  const AttentionArgs empty = args_of(shape, dtype, causal);
  const int64_t rows = int64_t{shape.batch} * shape.heads * shape.q_len;
  const std::string name = name_of(shape, dtype, causal);
  const auto take_inputs = [=](CaseMemory& memory, AttentionArgs& args) {
    args = empty;
    args.q = memory.random(dtype, shape.batch * args.q_layout.batch, -1, 1);
    args.k = memory.random(dtype, shape.batch * args.kv_layout.batch, -1, 1);
    args.v = memory.given(dtype, shape.batch * args.kv_layout.batch, [](int64_t) { return 0.0; });
  };
  cases.push_back(
      make_case<AttentionArgs>("log-sums of " + name, kRelative, kWhy, [=](CaseMemory& memory, AttentionArgs& args) {
        take_inputs(memory, args);
        args.out = memory.output(dtype, shape.batch * args.out_layout.batch, 1);
        args.log_sum = static_cast<float*>(memory.output(Dtype::kF32, rows, 1));
      }));
  cases.push_back(make_case<AttentionGradArgs>(
      "delta of " + name, kRelativeGrad, kWhyGrad, [=](CaseMemory& memory, AttentionGradArgs& args) {
        take_inputs(memory, args.forward);
        args.forward.out = memory.random(dtype, shape.batch * empty.out_layout.batch, -1, 1);
        args.forward.log_sum = static_cast<float*>(memory.given(Dtype::kF32, rows, [](int64_t) { return HUGE_VAL; }));
        args.out_grad = memory.random(dtype, shape.batch * empty.out_layout.batch, -1, 1);
        args.dq = memory.output(dtype, shape.batch * empty.q_layout.batch, 0);
        args.dk = memory.output(dtype, shape.batch * empty.kv_layout.batch, 0);
        args.dv = memory.output(dtype, shape.batch * empty.kv_layout.batch, 0);
        args.delta = static_cast<float*>(memory.output(Dtype::kF32, rows, shape.head_dim / 4.0));
      }));
}

}  // namespace

std::vector<OpCase> attention_cases() {
  std::vector<OpCase> cases;
  for (const bool causal : {false, true}) {
    for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
      add(cases, {2, 3, 3, 70, 70, 64}, dtype, causal);   // more than a tile, and a rest
      add(cases, {1, 4, 2, 5, 37, 20}, dtype, causal);    // fewer queries than keys
      add(cases, {1, 2, 1, 40, 9, 33}, dtype, causal);    // more: causal rows that see nothing
      add(cases, {1, 2, 2, 33, 65, 128}, dtype, causal);  // the tiles of wider heads
      add(cases, {1, 2, 1, 18, 35, 250}, dtype, causal);
      add(cases, {1, 1, 1, 1, 1, 1}, dtype, causal);
    }
    for (const Dtype dtype : {Dtype::kF16, Dtype::kBf16}) {
      add_statistics(cases, {2, 3, 3, 70, 70, 64}, dtype, causal);
      add_statistics(cases, {1, 2, 2, 33, 65, 128}, dtype, causal);
      add_statistics(cases, {1, 2, 1, 18, 35, 250}, dtype, causal);
      add(cases, {2, 4, 2, 200, 200, 64}, dtype, causal);  // several tiles of a warpgroup, keys shared
      add(cases, {1, 4, 2, 130, 190, 128}, dtype, causal);
      add_statistics(cases, {1, 4, 2, 130, 190, 128}, dtype, causal);
    }
    add(cases, {1, 2, 1, 140, 150, 72}, Dtype::kF32, causal);  // several tiles of pairs, and slabs of columns
    add(cases, {1, 2, 2, 3, 0, 16}, Dtype::kBf16, causal);
    add(cases, {1, 2, 2, 3, 0, 16}, Dtype::kF32, causal);
    add(cases, {0, 2, 2, 3, 3, 16}, Dtype::kF32, causal);
  }
  return cases;
}

}  // namespace aaco
