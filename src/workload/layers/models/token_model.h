// SPDX-License-Identifier: MIT
// A language model: an embedding, a decoder, a norm, a product with the vocabulary, the most likely token.
#pragma once

#include "workload/layers/models/decoder.h"

namespace aaco {

struct TokenModel {
  Decoder decoder;
  Tensor embedding;  // [vocabulary, hidden]
  Tensor head;       // [hidden, vocabulary]

  int64_t vocabulary() const { return embedding.dims[0]; }
  int64_t hidden() const { return embedding.dims[1]; }
};

// Values of the embedding are uniform in +-`spread`.
TokenModel make_token_model(WorkloadBuilder& builder, const DecoderShape& shape, int64_t vocabulary, double spread);

// Where the logits of some tokens are made.
struct HeadScratch {
  Tensor normed;
  Tensor logits;
};
HeadScratch make_head_scratch(WorkloadBuilder& builder, const TokenModel& model, int64_t tokens, int64_t logits);

// x[i, :] = embedding[ids[i], :].
GatherArgs embedded(const TokenModel& model, const Tensor& ids, const Tensor& x);

// Rows first, first + step, ... of a matrix.
struct RowSteps {
  int64_t first = 0;
  int64_t step = 1;
  int64_t count = 0;
};
// The logits of these rows of x, into the scratch's first rows.
void run_head(Program& program, int32_t stream, const TokenModel& model, const Tensor& x, RowSteps rows,
              const HeadScratch& scratch);
// ids[i]: the most likely token by row `first` + i of the logits.
TopKArgs most_likely(const TokenModel& model, const HeadScratch& scratch, int64_t first, const Tensor& ids);

}  // namespace aaco
