// SPDX-License-Identifier: MIT
#include "workload/layers/models/decoder.h"

#include <algorithm>

namespace aaco {

namespace {

// Where queries, keys and values of the tokens of a pass lie.
struct Projections {
  const char* queries = nullptr;
  const char* keys = nullptr;
  const char* values = nullptr;
  int64_t query_pitch = 0;  // elements from token to token
  int64_t key_pitch = 0;
};

int64_t head_dim_of(const DecoderShape& shape) { return shape.hidden / shape.heads; }

float attention_scale(const DecoderShape& shape) {
  return static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim_of(shape))));
}

// A single cache is read by blocks side by side where it is long, and there are few of them.
int32_t splits_of(int64_t usual_length) { return static_cast<int32_t>(std::clamp<int64_t>(usual_length / 128, 1, 8)); }
constexpr int64_t kMostSplits = 8;

Projections project_together(Program& program, int32_t stream, const Decoder& decoder, int64_t layer,
                             const Tensor& normed, const DecoderScratch& scratch) {
  const int64_t hidden = decoder.shape.hidden;
  const Tensor qkv = scratch.qkv.view(0, {normed.rows(), 3 * hidden});
  program.op(stream, forward(decoder.layers[static_cast<size_t>(layer)].qkv, normed, qkv, decoder.shape.precision));
  const auto* data = static_cast<const char*>(qkv.data);
  const int64_t step = hidden * size_of(qkv.dtype);
  return {data, data + step, data + 2 * step, 3 * hidden, 3 * hidden};
}

// Queries for themselves: decode attention wants those of several sequences without gaps.
Projections project_apart(Program& program, int32_t stream, const Decoder& decoder, int64_t layer, const Tensor& normed,
                          const DecoderScratch& scratch) {
  const int64_t hidden = decoder.shape.hidden;
  const Dense& both = decoder.layers[static_cast<size_t>(layer)].qkv;
  const Tensor queries = scratch.qkv.view(0, {normed.rows(), hidden});
  const Tensor pairs = scratch.qkv.view(queries.elements(), {normed.rows(), 2 * hidden});
  GemmArgs args = forward(both, normed, queries, decoder.shape.precision);
  args.n = hidden;
  args.ldc = hidden;
  program.op(stream, args);
  args = forward(both, normed, pairs, decoder.shape.precision);
  args.b = both.weight.view(hidden, {1}).data;
  args.bias = both.bias.view(hidden, {1}).data;
  args.n = 2 * hidden;
  args.ldc = 2 * hidden;
  program.op(stream, args);
  const auto* keys = static_cast<const char*>(pairs.data);
  return {static_cast<const char*>(queries.data), keys, keys + hidden * size_of(pairs.dtype), hidden, 2 * hidden};
}

// `batch` and `row`: tokens from sequence to sequence, and from row to row.
void append(Program& program, int32_t stream, const Decoder& decoder, int64_t layer, const Projections& from,
            const KvCache& cache, int64_t rows, int64_t batch, int64_t row, const Tensor& at) {
  AppendCacheArgs args;
  args.k = from.keys;
  args.v = from.values;
  args.k_cache = cache.keys_of(layer);
  args.v_cache = cache.values_of(layer);
  args.lengths = at.as<int32_t>();
  args.layout = {batch * from.key_pitch, row * from.key_pitch, head_dim_of(decoder.shape)};
  args.batch = static_cast<int32_t>(cache.sequences);
  args.rows = static_cast<int32_t>(rows);
  args.kv_heads = static_cast<int32_t>(decoder.shape.heads);
  args.head_dim = static_cast<int32_t>(head_dim_of(decoder.shape));
  args.capacity = static_cast<int32_t>(cache.capacity());
  args.dtype = decoder.shape.precision.dtype;
  args.cache_dtype = cache.keys.dtype;
  program.op(stream, args);
}

void attend(Program& program, int32_t stream, const Decoder& decoder, const Projections& from, const Prefill& pass,
            const Tensor& out) {
  const int64_t head_dim = head_dim_of(decoder.shape);
  AttentionArgs args;
  args.q = from.queries;
  args.k = from.keys;
  args.v = from.values;
  args.out = out.data;
  args.q_layout = {pass.rows * from.query_pitch, from.query_pitch, head_dim};
  args.kv_layout = {pass.rows * from.key_pitch, from.key_pitch, head_dim};
  args.out_layout = {pass.rows * decoder.shape.hidden, decoder.shape.hidden, head_dim};
  args.batch = static_cast<int32_t>(pass.sequences);
  args.heads = static_cast<int32_t>(decoder.shape.heads);
  args.kv_heads = args.heads;
  args.q_len = static_cast<int32_t>(pass.rows);
  args.kv_len = args.q_len;
  args.head_dim = static_cast<int32_t>(head_dim);
  args.scale = attention_scale(decoder.shape);
  args.causal = 1;
  args.dtype = decoder.shape.precision.dtype;
  program.op(stream, args);
}

void attend_cache(Program& program, int32_t stream, const Decoder& decoder, int64_t layer, const Projections& from,
                  const Decode& pass, int64_t row, const DecoderScratch& scratch) {
  const int64_t sequences = pass.cache.sequences;
  const int64_t element = size_of(decoder.shape.precision.dtype);
  DecodeAttentionArgs args;
  args.q = from.queries + row * sequences * from.query_pitch * element;
  args.k_cache = pass.cache.keys_of(layer);
  args.v_cache = pass.cache.values_of(layer);
  args.lengths = pass.seen.view(row * sequences, {sequences}).as<int32_t>();
  args.out = scratch.attended.view(row * sequences * decoder.shape.hidden, {1}).data;
  args.partial = scratch.partial.as<float>();
  args.batch = static_cast<int32_t>(sequences);
  args.heads = static_cast<int32_t>(decoder.shape.heads);
  args.kv_heads = args.heads;
  args.head_dim = static_cast<int32_t>(head_dim_of(decoder.shape));
  args.capacity = static_cast<int32_t>(pass.cache.capacity());
  args.splits = splits_of(pass.cache.usual_length);
  args.scale = attention_scale(decoder.shape);
  args.dtype = decoder.shape.precision.dtype;
  args.cache_dtype = pass.cache.keys.dtype;
  args.total_length = sequences * pass.cache.usual_length;
  program.op(stream, args);
}

// What follows attention: x += attended * out, x += mlp(norm(x)).
void finish_layer(Program& program, int32_t stream, const Decoder& decoder, int64_t layer, const Tensor& x,
                  const DecoderScratch& scratch) {
  const DecoderLayer& weights = decoder.layers[static_cast<size_t>(layer)];
  const Precision precision = decoder.shape.precision;
  const Tensor attended = scratch.attended.view(0, {x.rows(), decoder.shape.hidden});
  program.op(stream, forward_added(weights.out, attended, x, precision));
  if (decoder.shape.inner > 0) {
    const Tensor normed = scratch.normed.view(0, {x.rows(), decoder.shape.hidden});
    const Tensor inner = scratch.inner.view(0, {x.rows(), decoder.shape.inner});
    program.op(stream, normalised(x, normed));
    program.op(stream, forward(weights.up, normed, inner, precision, Epilogue::kBiasRelu));
    program.op(stream, forward_added(weights.down, inner, x, precision));
  }
}

}  // namespace

Decoder make_decoder(WorkloadBuilder& builder, const DecoderShape& shape) {
  Decoder decoder{shape, {}};
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    DecoderLayer weights;
    weights.qkv = make_dense(builder, shape.precision, shape.hidden, 3 * shape.hidden);
    weights.out = make_dense(builder, shape.precision, shape.hidden, shape.hidden);
    if (shape.inner > 0) {
      weights.up = make_dense(builder, shape.precision, shape.hidden, shape.inner);
      weights.down = make_dense(builder, shape.precision, shape.inner, shape.hidden);
    }
    decoder.layers.push_back(std::move(weights));
  }
  return decoder;
}

KvCache make_cache(WorkloadBuilder& builder, const DecoderShape& shape, int64_t sequences, int64_t capacity,
                   int64_t usual_length, Dtype dtype) {
  const auto make = [&] {
    return builder.tensor(dtype, {shape.layers, sequences, shape.heads, capacity, head_dim_of(shape)});
  };
  const Tensor keys = make();
  return {keys, make(), 0, sequences, usual_length};
}

KvCache make_random_cache(WorkloadBuilder& builder, const DecoderShape& shape, int64_t sequences, int64_t capacity,
                          int64_t usual_length, Dtype dtype) {
  const auto make = [&] {
    return builder.random(dtype, {shape.layers, sequences, shape.heads, capacity, head_dim_of(shape)}, -1, 1);
  };
  const Tensor keys = make();
  return {keys, make(), 0, sequences, usual_length};
}

DecoderScratch make_decoder_scratch(WorkloadBuilder& builder, const DecoderShape& shape, int64_t tokens,
                                    int64_t decoded) {
  const Dtype dtype = shape.precision.dtype;
  DecoderScratch scratch;
  scratch.normed = builder.tensor(dtype, {tokens, shape.hidden});
  scratch.qkv = builder.tensor(dtype, {tokens, 3 * shape.hidden});
  scratch.attended = builder.tensor(dtype, {tokens, shape.hidden});
  if (shape.inner > 0) {
    scratch.inner = builder.tensor(dtype, {tokens, shape.inner});
  }
  if (decoded > 0) {
    scratch.partial = builder.tensor(Dtype::kF32, {decoded, shape.heads, kMostSplits, head_dim_of(shape) + 2});
  }
  return scratch;
}

void run_prefill_layer(Program& program, int32_t stream, const Decoder& decoder, int64_t layer, const Prefill& pass,
                       const DecoderScratch& scratch) {
  const Tensor x = pass.x.reshaped({pass.sequences * pass.rows, decoder.shape.hidden});
  const Tensor normed = scratch.normed.view(0, {x.rows(), decoder.shape.hidden});
  program.op(stream, normalised(x, normed));
  const Projections projected = project_together(program, stream, decoder, layer, normed, scratch);
  if (pass.cache != nullptr) {
    append(program, stream, decoder, layer, projected, *pass.cache, pass.rows, pass.rows, 1, pass.at);
  }
  attend(program, stream, decoder, projected, pass, scratch.attended);
  finish_layer(program, stream, decoder, layer, x, scratch);
}

void run_prefill(Program& program, int32_t stream, const Decoder& decoder, const Prefill& pass,
                 const DecoderScratch& scratch) {
  for (int64_t layer = 0; layer < decoder.shape.layers; ++layer) {
    run_prefill_layer(program, stream, decoder, layer, pass, scratch);
  }
}

void run_decode(Program& program, int32_t stream, const Decoder& decoder, const Decode& pass,
                const DecoderScratch& scratch) {
  const int64_t sequences = pass.cache.sequences;
  const Tensor x = pass.x.reshaped({pass.rows * sequences, decoder.shape.hidden});
  const Tensor normed = scratch.normed.view(0, {x.rows(), decoder.shape.hidden});
  for (int64_t layer = 0; layer < decoder.shape.layers; ++layer) {
    program.op(stream, normalised(x, normed));
    const Projections projected = sequences == 1 ? project_together(program, stream, decoder, layer, normed, scratch)
                                                 : project_apart(program, stream, decoder, layer, normed, scratch);
    append(program, stream, decoder, layer, projected, pass.cache, pass.rows, 1, sequences, pass.at);
    for (int64_t row = 0; row < pass.rows; ++row) {
      attend_cache(program, stream, decoder, layer, projected, pass, row, scratch);
    }
    finish_layer(program, stream, decoder, layer, x, scratch);
  }
}

AppendCacheArgs moved_in(const Decoder& decoder, int64_t layer, const KvCache& from, const KvCache& to,
                         const Tensor& places) {
  const int64_t head_dim = head_dim_of(decoder.shape);
  AppendCacheArgs args;
  args.k = from.keys_of(layer);
  args.v = from.values_of(layer);
  args.k_cache = to.keys_of(layer);
  args.v_cache = to.values_of(layer);
  args.lengths = places.as<int32_t>();
  args.layout = {0, head_dim, from.capacity() * head_dim};
  args.batch = static_cast<int32_t>(to.sequences);
  args.rows = static_cast<int32_t>(from.capacity());
  args.kv_heads = static_cast<int32_t>(decoder.shape.heads);
  args.head_dim = static_cast<int32_t>(head_dim);
  args.capacity = static_cast<int32_t>(to.capacity());
  args.dtype = from.keys.dtype;
  args.cache_dtype = to.keys.dtype;
  return args;
}

}  // namespace aaco
