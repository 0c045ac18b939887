// SPDX-License-Identifier: MIT
// Arguments of the kernels that follow indices: embeddings, experts, speculative tokens. An index out of range reads as
// a row of zeros and writes nothing.
#pragma once

#include "device/ops/dtype.h"

namespace aaco {

// out[i, :] = table[ids[i], :].
struct GatherArgs {
  const void* table = nullptr;
  const int32_t* ids = nullptr;
  void* out = nullptr;
  int64_t count = 0;
  int64_t cols = 0;
  int64_t table_rows = 0;
  Dtype dtype = Dtype::kF32;
};

// out[i, :] = the mean of table[ids[i * pool + j], :] over j < pool: a bag of embeddings. fp32 sums in ascending order
// of j.
struct GatherMeanArgs {
  const void* table = nullptr;
  const int32_t* ids = nullptr;  // [count, pool]
  void* out = nullptr;
  int64_t count = 0;
  int64_t cols = 0;
  int64_t table_rows = 0;
  int64_t pool = 1;
  Dtype dtype = Dtype::kF32;
};

// out[ids[i], :] += in[i, :]; out fp32 [out_rows, cols]. The order of the sums is not fixed.
struct ScatterAddArgs {
  const void* in = nullptr;
  const int32_t* ids = nullptr;
  float* out = nullptr;
  int64_t count = 0;
  int64_t cols = 0;
  int64_t out_rows = 0;
  Dtype in_dtype = Dtype::kF32;
};

// The gradient of Gather: out[v, :] = sum of in[i, :] over the i with ids[i] = v, in ascending order of i, so that it
// is the same bits each time and everywhere; with `accumulate` the sum begins with what is there. out fp32 [out_rows,
// cols]. With a pool above 1 it is the gradient of GatherMean: in[i / pool, :] / pool in place of in[i, :], of which
// there are count / pool rows; the same bits where pool is a power of two.
struct GatherGradArgs {
  const void* in = nullptr;
  const int32_t* ids = nullptr;
  float* out = nullptr;
  int64_t count = 0;
  int64_t cols = 0;
  int64_t out_rows = 0;
  int32_t accumulate = 0;
  Dtype in_dtype = Dtype::kF32;
  int64_t pool = 1;
};

// Sorts the (token, choice) pairs of a router by expert, stably: counts[e]; offsets[e] its first place,
// offsets[experts] where the last one's end; token_of[p] the token at place p of the sorted order; place_of[t * choices
// + j] its place. With capacity > 0, an expert takes at most so many, its places begin at e * capacity, unused ones
// have token -1, and pairs beyond have place -1; without it, places are dense. A pair whose expert is out of range has
// place -1; places that are left over by such pairs have token -1.
struct RouteArgs {
  const int32_t* experts_of = nullptr;  // [tokens, choices]
  int32_t* counts = nullptr;            // [experts]: how many it takes
  int32_t* offsets = nullptr;           // [experts + 1]
  int32_t* token_of = nullptr;          // [capacity > 0 ? experts * capacity : tokens * choices]
  int32_t* place_of = nullptr;          // [tokens * choices]
  int32_t tokens = 0;
  int32_t choices = 0;
  int32_t experts = 0;
  int32_t capacity = 0;
};

// out[t, :] = sum over j of weights[t, j] * in[place_of[t * choices + j], :].
struct CombineArgs {
  const void* in = nullptr;  // [places, cols]
  const int32_t* place_of = nullptr;
  const void* weights = nullptr;  // [tokens, choices]
  void* out = nullptr;            // [tokens, cols]
  int64_t tokens = 0;
  int64_t cols = 0;
  int64_t places = 0;
  int32_t choices = 0;
  Dtype dtype = Dtype::kF32;
};

// accepted[b] = how many of draft[b, 0..length) equal chosen[b, i] from the start; next[b] = chosen[b, accepted[b]],
// the token that the larger model says instead (chosen has length + 1 columns); total += the sum of accepted + 1 over
// b, where not null: tokens gained.
struct AcceptArgs {
  const int32_t* draft = nullptr;   // [batch, length]
  const int32_t* chosen = nullptr;  // [batch, length + 1]
  int32_t* accepted = nullptr;      // [batch]
  int32_t* next = nullptr;          // [batch]
  int32_t* total = nullptr;         // [1]
  int32_t batch = 0;
  int32_t length = 0;
};

}  // namespace aaco
