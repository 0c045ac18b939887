// SPDX-License-Identifier: MIT
#include "workload/layers/models/token_model.h"

namespace aaco {

TokenModel make_token_model(WorkloadBuilder& builder, const DecoderShape& shape, int64_t vocabulary, double spread) {
  TokenModel model;
  const double bound = 1 / std::sqrt(static_cast<double>(shape.hidden));
  model.embedding = builder.random(shape.precision.dtype, {vocabulary, shape.hidden}, -spread, spread);
  model.decoder = make_decoder(builder, shape);
  model.head = builder.random(shape.precision.dtype, {shape.hidden, vocabulary}, -bound, bound);
  return model;
}

HeadScratch make_head_scratch(WorkloadBuilder& builder, const TokenModel& model, int64_t tokens, int64_t logits) {
  const Dtype dtype = model.embedding.dtype;
  return {builder.tensor(dtype, {tokens, model.hidden()}), builder.tensor(dtype, {logits, model.vocabulary()})};
}

GatherArgs embedded(const TokenModel& model, const Tensor& ids, const Tensor& x) {
  GatherArgs args;
  args.table = model.embedding.data;
  args.ids = ids.as<int32_t>();
  args.out = x.data;
  args.count = ids.elements();
  args.cols = model.hidden();
  args.table_rows = model.vocabulary();
  args.dtype = x.dtype;
  return args;
}

void run_head(Program& program, int32_t stream, const TokenModel& model, const Tensor& x, RowSteps rows,
              const HeadScratch& scratch) {
  const Tensor normed = scratch.normed.view(0, {x.elements() / model.hidden(), model.hidden()});
  program.op(stream, normalised(x.reshaped({normed.rows(), model.hidden()}), normed));
  GemmArgs args = matmul(normed, model.head, scratch.logits, model.decoder.shape.precision);
  args.a = normed.view(rows.first * model.hidden(), {1}).data;
  args.m = rows.count;
  args.lda = rows.step * model.hidden();
  program.op(stream, args);
}

TopKArgs most_likely(const TokenModel& model, const HeadScratch& scratch, int64_t first, const Tensor& ids) {
  TopKArgs args;
  args.in = scratch.logits.view(first * model.vocabulary(), {1}).data;
  args.indices = ids.as<int32_t>();
  args.rows = ids.elements();
  args.cols = model.vocabulary();
  args.dtype = scratch.logits.dtype;
  return args;
}

}  // namespace aaco
