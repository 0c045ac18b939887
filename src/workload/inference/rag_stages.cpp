// SPDX-License-Identifier: MIT
#include "workload/inference/rag_stages.h"

#include "workload/layers/hand_off.h"
#include "workload/layers/turnover.h"

namespace aaco {

namespace {

// What the stages hand on besides the lane's outputs.
struct Stages {
  Tensor means;      // [queries, hidden]
  Tensor documents;  // [queries * found, hidden]
};

Tensor stage_tensor(WorkloadBuilder& builder, const RagShape& shape, int64_t rows, int64_t cols) {
  return builder.tensor(shape.precision.dtype, {rows, cols});
}

// Each row of the same length: sqrt(cols).
NormArgs scaled_rows(const Tensor& in, const Tensor& out) {
  NormArgs args = normalised(in, out);
  args.kind = NormKind::kRms;
  args.eps = 1e-12F;
  return args;
}

TopKArgs largest(const Tensor& in, int64_t cols, const Tensor& indices) {
  TopKArgs args;
  args.in = in.data;
  args.indices = indices.as<int32_t>();
  args.rows = in.elements() / cols;
  args.cols = cols;
  args.k = indices.cols();
  args.dtype = in.dtype;
  return args;
}

GatherArgs rows_of(const Tensor& table, const Tensor& ids, const Tensor& out) {
  GatherArgs args;
  args.table = table.data;
  args.ids = ids.as<int32_t>();
  args.out = out.data;
  args.count = ids.elements();
  args.cols = table.cols();
  args.table_rows = table.rows();
  args.dtype = table.dtype;
  return args;
}

void run_embedding(WorkloadBuilder& builder, int32_t stream, const RagModel& model, const RagShape& shape,
                   const RagLane& lane, const Stages& stages) {
  Program& program = builder.iteration();
  const Tensor ones = builder.filled(shape.precision.dtype, {1, shape.length}, 1);
  const Tensor inner = stage_tensor(builder, shape, shape.queries, shape.hidden);
  const Tensor outer = stage_tensor(builder, shape, shape.queries, shape.embedding);
  GemmArgs mean = matmul(ones, lane.queries, stages.means, shape.precision);  // of each query's tokens
  mean.alpha = 1 / static_cast<float>(shape.length);
  mean.batch = shape.queries;
  mean.stride_b = shape.length * shape.hidden;
  mean.stride_c = shape.hidden;
  program.op(stream, mean);
  program.op(stream, forward(model.embed_inner, stages.means, inner, shape.precision, Epilogue::kBiasRelu));
  program.op(stream, forward(model.embed_outer, inner, outer, shape.precision));
  program.op(stream, scaled_rows(outer, lane.embedded));
}

void run_retrieval(WorkloadBuilder& builder, int32_t stream, const RagModel& model, const RagShape& shape,
                   const RagLane& lane, const Stages& stages) {
  Program& program = builder.iteration();
  GemmArgs cosines = matmul_transposed_b(lane.embedded, model.embeddings, lane.scores, shape.precision);
  cosines.alpha = 1 / static_cast<float>(shape.embedding);
  program.op(stream, cosines);
  program.op(stream, largest(lane.scores, shape.documents, lane.retrieved));
  program.op(stream, rows_of(model.documents, lane.retrieved, stages.documents));
}

// First number of each query's rows, for as many rows as it has.
Tensor repeated(WorkloadBuilder& builder, int64_t queries, int64_t rows, int64_t step) {
  const Tensor numbers = builder.tensor(Dtype::kI32, {queries, rows});
  for (int64_t query = 0; query < queries; ++query) {
    builder.setup().op(
        0, FillArgs{numbers.view(query * rows, {1}).data, rows, static_cast<double>(query * step), Dtype::kI32});
  }
  return numbers;
}

void run_ranking(WorkloadBuilder& builder, int32_t stream, const RagModel& model, const RagShape& shape,
                 const RagLane& lane, const Stages& stages) {
  Program& program = builder.iteration();
  const int64_t pairs = shape.queries * shape.retrieved;
  const Tensor means = stage_tensor(builder, shape, pairs, shape.hidden);
  const Tensor inner = stage_tensor(builder, shape, pairs, shape.hidden);
  program.op(stream, rows_of(stages.means, repeated(builder, shape.queries, shape.retrieved, 1), means));
  program.op(stream, matmul(means, model.rank_query, inner, shape.precision));
  GemmArgs second = forward(model.rank_document, stages.documents, inner, shape.precision, Epilogue::kBiasRelu);
  second.beta = 1;
  program.op(stream, second);
  program.op(stream, forward(model.rank_outer, inner, lane.relevance.reshaped({pairs, 1}), shape.precision));
  program.op(stream, largest(lane.relevance, shape.retrieved, lane.picked));
  const Tensor first_rows = repeated(builder, shape.queries, shape.picked, shape.retrieved);
  program.op(stream, integers(lane.picked, BinaryOp::kAdd, first_rows, lane.picked));
}

// The query's tokens, then its documents.
void assemble_prompts(Program& program, int32_t stream, const RagShape& shape, const RagLane& lane,
                      const Stages& stages, const Tensor& prompts) {
  for (int64_t query = 0; query < shape.queries; ++query) {
    const Tensor tokens = lane.queries.view(query * shape.length * shape.hidden, {shape.length, shape.hidden});
    const Tensor prompt = prompts.view(query * shape.prompt() * shape.hidden, {shape.length, shape.hidden});
    program.copy(stream, prompt.data, tokens.data, static_cast<size_t>(tokens.bytes()));
    program.op(stream, rows_of(stages.documents, lane.picked.view(query * shape.picked, {shape.picked}),
                               prompt.view(shape.length * shape.hidden, {shape.picked, shape.hidden})));
  }
}

struct Generation {
  Tensor prompts;  // [queries * prompt, hidden]
  Tensor x;        // [queries, hidden]
  Tensor steps;    // int32 [generated, queries]: 0, ..., then 1, ...
  Tensor start;    // int32 [queries]: rows behind the prompt
  Tensor lengths;  // int32 [generated, queries]: rows in the cache when a token is looked up
  Tensor empty;    // int32 [queries]: 0
  KvCache cache;
  DecoderScratch scratch;
  HeadScratch head;
};

Generation make_generation(WorkloadBuilder& builder, const RagModel& model, const RagShape& shape) {
  const DecoderShape& decoder = model.generator.decoder.shape;
  const int64_t tokens = shape.queries * shape.prompt();
  Generation generation;
  generation.prompts = stage_tensor(builder, shape, tokens, shape.hidden);
  generation.x = stage_tensor(builder, shape, shape.queries, shape.hidden);
  generation.steps = repeated(builder, shape.generated, shape.queries, 1);
  generation.start = builder.filled(Dtype::kI32, {shape.queries}, static_cast<double>(shape.prompt()));
  generation.lengths = builder.tensor(Dtype::kI32, {shape.generated, shape.queries});
  generation.empty = builder.tensor(Dtype::kI32, {shape.queries});
  const int64_t capacity = shape.prompt() + shape.generated;
  generation.cache =
      make_cache(builder, decoder, shape.queries, capacity, (shape.prompt() + capacity) / 2, shape.precision.dtype);
  generation.scratch = make_decoder_scratch(builder, decoder, tokens, shape.queries);
  generation.head = make_head_scratch(builder, model.generator, tokens, shape.all_logits ? tokens : shape.queries);
  return generation;
}

// The first token comes from the prompt, each other one from the one before it. Lengths begin anew behind the prompt.
void generate(Program& program, int32_t stream, const RagModel& model, const RagShape& shape, const RagLane& lane,
              const Generation& generation) {
  const TokenModel& generator = model.generator;
  const int64_t queries = shape.queries;
  const int64_t last = shape.prompt() - 1;
  program.op(stream, integers(generation.steps, BinaryOp::kAdd, generation.start, generation.lengths));
  run_prefill(program, stream, generator.decoder,
              {generation.prompts, queries, shape.prompt(), &generation.cache, generation.empty}, generation.scratch);
  if (shape.all_logits) {
    run_head(program, stream, generator, generation.prompts, {0, 1, queries * shape.prompt()}, generation.head);
    for (int64_t query = 0; query < queries; ++query) {
      program.op(stream,
                 most_likely(generator, generation.head, query * shape.prompt() + last, lane.tokens.view(query, {1})));
    }
  } else {
    run_head(program, stream, generator, generation.prompts, {last, shape.prompt(), queries}, generation.head);
    program.op(stream, most_likely(generator, generation.head, 0, lane.tokens.view(0, {queries})));
  }
  for (int64_t step = 1; step < shape.generated; ++step) {
    const auto row = [&](const Tensor& tensor, int64_t number) { return tensor.view(number * queries, {queries}); };
    program.op(stream, embedded(generator, row(lane.tokens, step - 1), generation.x));
    run_decode(program, stream, generator.decoder,
               {generation.x, 1, generation.cache, row(generation.lengths, step - 1), row(generation.lengths, step)},
               generation.scratch);
    run_head(program, stream, generator, generation.x, {0, 1, queries}, generation.head);
    program.op(stream, most_likely(generator, generation.head, 0, row(lane.tokens, step)));
  }
}

}  // namespace

RagModel make_rag_model(WorkloadBuilder& builder, const RagShape& shape) {
  const Dtype dtype = shape.precision.dtype;
  RagModel model;
  model.embed_inner = make_dense(builder, shape.precision, shape.hidden, shape.hidden);
  model.embed_outer = make_dense(builder, shape.precision, shape.hidden, shape.embedding);
  model.documents = builder.random(dtype, {shape.documents, shape.hidden}, -1, 1);
  const Tensor raw = builder.random(dtype, {shape.documents, shape.embedding}, -1, 1);
  model.embeddings = builder.tensor(dtype, {shape.documents, shape.embedding});
  builder.setup().op(0, scaled_rows(raw, model.embeddings));
  model.rank_query = make_dense(builder, shape.precision, shape.hidden, shape.hidden).weight;
  model.rank_document = make_dense(builder, shape.precision, shape.hidden, shape.hidden);
  model.rank_outer = make_dense(builder, shape.precision, shape.hidden, 1);
  const DecoderShape decoder{shape.layers, shape.hidden, 8, 4 * shape.hidden, shape.precision};
  model.generator = make_token_model(builder, decoder, shape.vocabulary, 1);
  return model;
}

// A stage waits for the one before it, and does not write over what a later one has yet to read: what the embedding
// gave is read last by the ranking, what the retrieval and the ranking gave by the assembling of prompts.
RagLane run_rag_lane(WorkloadBuilder& builder, StreamShare streams, const RagModel& model, const RagShape& shape) {
  const int32_t embedding = streams.role(0);
  const int32_t retrieving = streams.role(1);
  const int32_t ranking = streams.role(2);
  const int32_t generating = streams.role(3);
  RagLane lane;
  lane.queries = builder.random(shape.precision.dtype, {shape.queries, shape.length, shape.hidden}, -1, 1);
  lane.embedded = stage_tensor(builder, shape, shape.queries, shape.embedding);
  lane.scores = stage_tensor(builder, shape, shape.queries, shape.documents);
  lane.retrieved = builder.tensor(Dtype::kI32, {shape.queries, shape.retrieved});
  lane.relevance = stage_tensor(builder, shape, shape.queries, shape.retrieved);
  lane.picked = builder.tensor(Dtype::kI32, {shape.queries, shape.picked});
  lane.tokens = builder.tensor(Dtype::kI32, {shape.generated, shape.queries});
  const Stages stages{stage_tensor(builder, shape, shape.queries, shape.hidden),
                      stage_tensor(builder, shape, shape.queries * shape.retrieved, shape.hidden)};
  const Generation generation = make_generation(builder, model, shape);
  Program& program = builder.iteration();
  run_embedding(builder, embedding, model, shape, lane, stages);
  hand_off(program, embedding, {retrieving});
  run_retrieval(builder, retrieving, model, shape, lane, stages);
  hand_off(program, retrieving, {ranking});
  run_ranking(builder, ranking, model, shape, lane, stages);
  hand_off(program, ranking, {generating, embedding});
  assemble_prompts(program, generating, shape, lane, stages, generation.prompts);
  hand_off(program, generating, {retrieving, ranking});
  generate(program, generating, model, shape, lane, generation);
  return lane;
}

}  // namespace aaco
