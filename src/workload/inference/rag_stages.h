// SPDX-License-Identifier: MIT
// Retrieval-augmented generation for some queries: embed, find, rank, generate.
#pragma once

#include "workload/layers/models/token_model.h"
#include "workload/layers/stream_share.h"

namespace aaco {

struct RagShape {
  int64_t queries = 0;  // that go together
  int64_t hidden = 0;
  int64_t embedding = 0;
  int64_t layers = 0;
  int64_t vocabulary = 0;
  int64_t length = 0;     // tokens of a query
  int64_t documents = 0;  // in all
  int64_t retrieved = 0;  // of them, for a query
  int64_t picked = 0;     // of those, for the generator
  int64_t generated = 0;  // tokens
  bool all_logits = false;
  Precision precision;

  int64_t prompt() const { return length + picked; }  // a document is as long as a token
};

struct RagModel {
  Dense embed_inner;
  Dense embed_outer;
  Tensor documents;   // [documents, hidden]
  Tensor embeddings;  // [documents, embedding], each of length sqrt(embedding)
  // A pair of query and document side by side times a weight is the sum of both parts' products.
  Tensor rank_query;
  Dense rank_document;
  Dense rank_outer;
  TokenModel generator;
};

RagModel make_rag_model(WorkloadBuilder& builder, const RagShape& shape);

struct RagLane {
  Tensor queries;    // [queries, length, hidden]
  Tensor embedded;   // [queries, embedding], each of length sqrt(embedding)
  Tensor scores;     // [queries, documents]: cosines
  Tensor retrieved;  // int32 [queries, found]: documents
  Tensor relevance;  // [queries, found]
  Tensor picked;     // int32 [queries, picked]: rows of all queries' found documents
  Tensor tokens;     // int32 [generated, queries]
};

// Stages take the streams in turn; with fewer than four the last ones share.
RagLane run_rag_lane(WorkloadBuilder& builder, StreamShare streams, const RagModel& model, const RagShape& shape);

// The first query's embedding, and every choice of documents, again on the host.
Result<void> check_rag_lane(DeviceReader& reader, const RagModel& model, const RagShape& shape, const RagLane& lane);

}  // namespace aaco
