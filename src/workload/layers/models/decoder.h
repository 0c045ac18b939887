// SPDX-License-Identifier: MIT
// A transformer of decoder layers with a cache of keys and values: norm, attention, residual, norm, two dense layers,
// residual. A pass goes over whole sequences (prefill) or over a few new tokens of each behind what its cache holds.
#pragma once

#include <vector>

#include "workload/layers/dense.h"

namespace aaco {

struct DecoderShape {
  int64_t layers = 1;
  int64_t hidden = 0;
  int64_t heads = 1;
  int64_t inner = 0;  // of the dense layers; 0: none of them
  Precision precision;
};

struct DecoderLayer {
  Dense qkv;  // [hidden, 3 hidden]: queries, keys, values
  Dense out;
  Dense up;
  Dense down;
};

struct Decoder {
  DecoderShape shape;
  std::vector<DecoderLayer> layers;
};

Decoder make_decoder(WorkloadBuilder& builder, const DecoderShape& shape);

// [layers, sequences, heads, capacity, head size] each; a view of some sequences shares the memory.
struct KvCache {
  Tensor keys;
  Tensor values;
  int64_t first = 0;  // sequence of each layer
  int64_t sequences = 0;
  int64_t usual_length = 0;  // rows that are in it when it is read; for counting and for splitting the work

  KvCache part(int64_t start, int64_t count) const { return {keys, values, first + start, count, usual_length}; }
  int64_t capacity() const { return keys.dims[3]; }
  void* keys_of(int64_t layer) const { return keys.view(offset(layer), {1}).data; }
  void* values_of(int64_t layer) const { return values.view(offset(layer), {1}).data; }

 private:
  int64_t offset(int64_t layer) const {
    return (layer * keys.dims[1] + first) * keys.dims[2] * keys.dims[3] * keys.dims[4];
  }
};

KvCache make_cache(WorkloadBuilder& builder, const DecoderShape& shape, int64_t sequences, int64_t capacity,
                   int64_t usual_length, Dtype dtype);

// The same with values uniform in [-1, 1): of sequences that nothing else is known of.
KvCache make_random_cache(WorkloadBuilder& builder, const DecoderShape& shape, int64_t sequences, int64_t capacity,
                          int64_t usual_length, Dtype dtype);

// Where a pass works, one at a time.
struct DecoderScratch {
  Tensor normed;
  Tensor qkv;
  Tensor attended;
  Tensor inner;
  Tensor partial;
};

// For passes over at most `tokens` tokens, of which at most `decoded` sequences are decoded at once.
DecoderScratch make_decoder_scratch(WorkloadBuilder& builder, const DecoderShape& shape, int64_t tokens,
                                    int64_t decoded);

// Whole sequences, causal. x [sequences, rows, hidden] is changed in place. With a cache, keys and values go into it
// from `at` on (int32 [sequences]: rows that are there before).
struct Prefill {
  Tensor x;
  int64_t sequences = 1;
  int64_t rows = 0;
  const KvCache* cache = nullptr;
  Tensor at;
};
void run_prefill_layer(Program& program, int32_t stream, const Decoder& decoder, int64_t layer, const Prefill& pass,
                       const DecoderScratch& scratch);
void run_prefill(Program& program, int32_t stream, const Decoder& decoder, const Prefill& pass,
                 const DecoderScratch& scratch);

// `rows` new tokens of each sequence, one behind the other: x [rows, sequences, hidden], changed in place. They go into
// the cache from `at` (int32 [sequences]) on; row i sees seen[i] (int32 [rows, sequences]) rows of it: at + i + 1.
struct Decode {
  Tensor x;
  int64_t rows = 1;
  KvCache cache;
  Tensor at;
  Tensor seen;
};
void run_decode(Program& program, int32_t stream, const Decoder& decoder, const Decode& pass,
                const DecoderScratch& scratch);

// What one sequence's full cache holds of a layer, into the caches of others from `places` (int32, one for each) on; a
// place at the capacity or beyond takes nothing.
AppendCacheArgs moved_in(const Decoder& decoder, int64_t layer, const KvCache& from, const KvCache& to,
                         const Tensor& places);

}  // namespace aaco
