// SPDX-License-Identifier: MIT
// One sequence of speculative decoding (Leviathan, Kalman & Matias, ICML 2023, with the most likely token in place of
// sampling): a round of drafting, verifying and accepting.
#pragma once

#include "workload/layers/models/token_model.h"

namespace aaco {

struct SpeculationShape {
  DecoderShape draft;
  DecoderShape main;
  int64_t length = 0;   // tokens that are drafted
  int64_t context = 0;  // tokens at the start
  int64_t rounds = 0;   // until a sequence starts over
  int64_t vocabulary = 0;
  double agreement = 0;
  bool anew = false;  // without caches

  int64_t capacity() const { return context + rounds * (length + 1); }
};

// With agreement > 0 the first draft.hidden features of the main model's embedding, and rows of its head, are the draft
// model's, and the embedding's values there larger by `agreement`: the main model's logits are the draft model's and a
// part of their own, the smaller the larger `agreement` is.
struct ModelPair {
  TokenModel draft;
  TokenModel main;
};

ModelPair make_model_pair(WorkloadBuilder& builder, const SpeculationShape& shape);

// What a round leaves. All int32.
struct SpeculatedTokens {
  Tensor next;      // [1]: where the sequence goes on
  Tensor draft;     // [length]
  Tensor chosen;    // [length + 1]: the main model's, behind the last token and each drafted one
  Tensor accepted;  // [1]
  Tensor cached;    // [1]: rows of both caches that hold what was accepted
};

// An iteration is a round; the tokens it gains are added to `gained`. The streams may be the same.
SpeculatedTokens speculate_with_cache(WorkloadBuilder& builder, int32_t drafting, int32_t verifying,
                                      const ModelPair& models, const SpeculationShape& shape, const Tensor& gained);
// Without caches: passes over context, context + 1, ... tokens, then one over all. The context stays.
SpeculatedTokens speculate_anew(WorkloadBuilder& builder, int32_t drafting, int32_t verifying, const ModelPair& models,
                                const SpeculationShape& shape, const Tensor& gained);

// Accepts again on the host what the last round drafted and chose, and holds the counts against it.
Result<void> check_speculation(DeviceReader& reader, const SpeculatedTokens& tokens, const Tensor& gained,
                               const SpeculationShape& shape, int64_t iterations);

}  // namespace aaco
