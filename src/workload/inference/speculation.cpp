// SPDX-License-Identifier: MIT
#include "workload/inference/speculation.h"

#include "workload/layers/hand_off.h"
#include "workload/layers/turnover.h"

namespace aaco {

namespace {

// One of both models at work on a sequence.
struct Worker {
  const TokenModel* model = nullptr;
  Tensor x;
  DecoderScratch scratch;
  HeadScratch head;
};

Worker make_worker(WorkloadBuilder& builder, const TokenModel& model, int64_t tokens, int64_t logits) {
  Worker worker;
  worker.model = &model;
  worker.x = builder.tensor(model.embedding.dtype, {tokens, model.hidden()});
  worker.scratch = make_decoder_scratch(builder, model.decoder.shape, tokens, 1);
  worker.head = make_head_scratch(builder, model, tokens, logits);
  return worker;
}

AcceptArgs acceptance(const SpeculatedTokens& tokens, const Tensor& gained) {
  AcceptArgs args;
  args.draft = tokens.draft.as<int32_t>();
  args.chosen = tokens.chosen.as<int32_t>();
  args.accepted = tokens.accepted.as<int32_t>();
  args.next = tokens.next.as<int32_t>();
  args.total = gained.as<int32_t>();
  args.batch = 1;
  args.length = static_cast<int32_t>(tokens.draft.elements());
  return args;
}

// The draft model's embedding as the first columns of the main model's: a product with the identity, which is exact,
// and whose rows may lie apart. Rows of the head lie together.
void share_features(WorkloadBuilder& builder, const ModelPair& models) {
  const int64_t hidden = models.draft.hidden();
  const Dtype dtype = models.draft.embedding.dtype;
  const Tensor identity = builder.tensor(dtype, {hidden, hidden});
  for (int64_t i = 0; i < hidden; ++i) {
    builder.setup().op(0, FillArgs{identity.view(i * (hidden + 1), {1}).data, 1, 1, dtype});
  }
  GemmArgs copy = matmul(models.draft.embedding, identity, models.main.embedding, {dtype, MathMode::kF32});
  copy.ldc = models.main.hidden();
  builder.setup().op(0, copy);
  builder.setup().copy(0, models.main.head.data, models.draft.head.data,
                       static_cast<size_t>(models.draft.head.bytes()));
}

// State of a sequence with caches.
struct Sequence {
  SpeculatedTokens tokens;
  Tensor line;     // [length + 1]: the last accepted token, then the drafted ones
  Tensor lengths;  // [length + 2]: rows in the caches before each of these tokens, and behind the last
  Tensor steps;    // [length + 2]: 0, 1, 2, ...
  Tensor restart;  // [1]: 1, or in the last round what the caches hold at the start
  Tensor context;  // [1]
  Turnover turnover;
  KvCache draft_cache;
  KvCache main_cache;
};

Sequence make_sequence(WorkloadBuilder& builder, const ModelPair& models, const SpeculationShape& shape) {
  Sequence sequence;
  const int64_t line = shape.length + 1;
  sequence.line = builder.random(Dtype::kI32, {line}, 0, static_cast<double>(shape.vocabulary));
  sequence.tokens.next = sequence.line.view(0, {1});
  sequence.tokens.draft = sequence.line.view(1, {shape.length});
  sequence.tokens.chosen = builder.tensor(Dtype::kI32, {line});
  sequence.tokens.accepted = builder.tensor(Dtype::kI32, {1});
  sequence.tokens.cached = builder.filled(Dtype::kI32, {1}, static_cast<double>(shape.context));
  sequence.lengths = builder.tensor(Dtype::kI32, {line + 1});
  sequence.steps = counting(builder, line + 1);
  sequence.restart = builder.tensor(Dtype::kI32, {1});
  sequence.context = builder.filled(Dtype::kI32, {1}, static_cast<double>(shape.context));
  sequence.turnover = make_turnover(builder, 1, shape.rounds);
  const Dtype dtype = shape.main.precision.dtype;
  const int64_t usual = (shape.context + shape.capacity()) / 2;
  sequence.draft_cache = make_cache(builder, models.draft.decoder.shape, 1, shape.capacity(), usual, dtype);
  sequence.main_cache = make_cache(builder, models.main.decoder.shape, 1, shape.capacity(), usual, dtype);
  return sequence;
}

// In setup: both models go over the same context.
void fill_cache(WorkloadBuilder& builder, const Worker& worker, const KvCache& cache, const Tensor& context) {
  Program& setup = builder.setup();
  const Tensor x = worker.x.view(0, {context.elements(), worker.model->hidden()});
  setup.op(0, embedded(*worker.model, context, x));
  const Tensor empty = builder.tensor(Dtype::kI32, {1});
  run_prefill(setup, 0, worker.model->decoder, {x, 1, context.elements(), &cache, empty}, worker.scratch);
}

void draft_token(Program& program, int32_t stream, const Worker& worker, const Sequence& sequence, int64_t step) {
  const Tensor x = worker.x.view(0, {1, worker.model->hidden()});
  program.op(stream, embedded(*worker.model, sequence.line.view(step, {1}), x));
  run_decode(program, stream, worker.model->decoder,
             {x, 1, sequence.draft_cache, sequence.lengths.view(step, {1}), sequence.lengths.view(step + 1, {1})},
             worker.scratch);
}

// Lengths, and what tells whether this is the last round before a start anew.
void begin_round(Program& program, int32_t stream, const Sequence& sequence) {
  program.op(stream, integers(sequence.steps, BinaryOp::kAdd, sequence.tokens.cached, sequence.lengths));
  advance(program, stream, sequence.turnover);
  program.op(stream, integers(sequence.turnover.done, BinaryOp::kMul, sequence.context, sequence.restart));
  program.op(stream, integers(sequence.restart, BinaryOp::kAdd, sequence.turnover.keep, sequence.restart));
}

// cached + accepted + 1, or the context where the sequence starts over.
void end_round(Program& program, int32_t stream, const Sequence& sequence, const Tensor& gained) {
  const Tensor& cached = sequence.tokens.cached;
  program.op(stream, acceptance(sequence.tokens, gained));
  program.op(stream, integers(cached, BinaryOp::kAdd, sequence.tokens.accepted, cached));
  program.op(stream, integers(cached, BinaryOp::kMul, sequence.turnover.keep, cached));
  program.op(stream, integers(cached, BinaryOp::kAdd, sequence.restart, cached));
}

}  // namespace

ModelPair make_model_pair(WorkloadBuilder& builder, const SpeculationShape& shape) {
  ModelPair models;
  const bool shared = shape.agreement > 0;
  models.draft = make_token_model(builder, shape.draft, shape.vocabulary, shared ? shape.agreement : 1);
  models.main = make_token_model(builder, shape.main, shape.vocabulary, 1);
  if (shared) {
    share_features(builder, models);
  }
  return models;
}

// The draft model, too, goes over the last drafted token: its cache must hold it where all are accepted. That pass
// needs no logits, and runs beside the verification.
SpeculatedTokens speculate_with_cache(WorkloadBuilder& builder, int32_t drafting, int32_t verifying,
                                      const ModelPair& models, const SpeculationShape& shape, const Tensor& gained) {
  const int64_t line = shape.length + 1;
  const Sequence sequence = make_sequence(builder, models, shape);
  const int64_t tokens = std::max(shape.context, line);
  const Worker draft = make_worker(builder, models.draft, tokens, 1);
  const Worker main = make_worker(builder, models.main, tokens, line);
  const Tensor context = builder.random(Dtype::kI32, {shape.context}, 0, static_cast<double>(shape.vocabulary));
  fill_cache(builder, draft, sequence.draft_cache, context);
  fill_cache(builder, main, sequence.main_cache, context);

  Program& program = builder.iteration();
  begin_round(program, drafting, sequence);
  for (int64_t step = 0; step < shape.length; ++step) {
    draft_token(program, drafting, draft, sequence, step);
    run_head(program, drafting, models.draft, draft.x.view(0, {1, models.draft.hidden()}), {0, 1, 1}, draft.head);
    program.op(drafting, most_likely(models.draft, draft.head, 0, sequence.line.view(step + 1, {1})));
  }
  hand_off(program, drafting, {verifying});
  draft_token(program, drafting, draft, sequence, shape.length);

  const Tensor x = main.x.view(0, {line, models.main.hidden()});
  program.op(verifying, embedded(models.main, sequence.line, x));
  run_decode(program, verifying, models.main.decoder,
             {x, line, sequence.main_cache, sequence.lengths.view(0, {1}), sequence.lengths.view(1, {line})},
             main.scratch);
  run_head(program, verifying, models.main, x, {0, 1, line}, main.head);
  program.op(verifying, most_likely(models.main, main.head, 0, sequence.tokens.chosen));
  end_round(program, verifying, sequence, gained);
  hand_off(program, verifying, {drafting});
  return sequence.tokens;
}

SpeculatedTokens speculate_anew(WorkloadBuilder& builder, int32_t drafting, int32_t verifying, const ModelPair& models,
                                const SpeculationShape& shape, const Tensor& gained) {
  const int64_t most = shape.context + shape.length;
  const Tensor line = builder.random(Dtype::kI32, {most}, 0, static_cast<double>(shape.vocabulary));
  SpeculatedTokens tokens;
  tokens.draft = line.view(shape.context, {shape.length});
  tokens.next = builder.tensor(Dtype::kI32, {1});
  tokens.chosen = builder.tensor(Dtype::kI32, {shape.length + 1});
  tokens.accepted = builder.tensor(Dtype::kI32, {1});
  tokens.cached = builder.filled(Dtype::kI32, {1}, static_cast<double>(shape.context));
  const Worker draft = make_worker(builder, models.draft, most, most);
  const Worker main = make_worker(builder, models.main, most, most);
  Program& program = builder.iteration();
  const auto run = [&](int32_t stream, const Worker& worker, int64_t count) {
    const Tensor x = worker.x.view(0, {count, worker.model->hidden()});
    program.op(stream, embedded(*worker.model, line.view(0, {count}), x));
    run_prefill(program, stream, worker.model->decoder, {x, 1, count, nullptr, {}}, worker.scratch);
    run_head(program, stream, *worker.model, x, {0, 1, count}, worker.head);
  };
  for (int64_t step = 0; step < shape.length; ++step) {
    const int64_t count = shape.context + step;
    run(drafting, draft, count);
    program.op(drafting, most_likely(models.draft, draft.head, count - 1, line.view(count, {1})));
  }
  hand_off(program, drafting, {verifying});
  run(verifying, main, most);
  program.op(verifying, most_likely(models.main, main.head, shape.context - 1, tokens.chosen));
  program.op(verifying, acceptance(tokens, gained));
  hand_off(program, verifying, {drafting});
  return tokens;
}

}  // namespace aaco
