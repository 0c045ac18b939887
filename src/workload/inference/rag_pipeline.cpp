// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "workload/inference/rag_stages.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr Parameter kParameters[]{
    {"hidden_size", "768", "features of a token and of a document; a multiple of 8"},
    {"embedding_dim", "256", "features by which documents are found"},
    {"num_layers", "4", "layers of the generator"},
    {"vocab_size", "32000", "tokens that there are"},
    {"batch_size", "4", "queries of a copy"},
    {"query_length", "64", "tokens of a query"},
    {"num_docs", "100", "documents to search"},
    {"top_k", "10", "documents that are found and ranked again, at most 64; the best 3 go to the generator"},
    {"generation_length", "128", "tokens of an answer; 1: one pass over the prompt"},
    {"logits", "last", "last: of a prompt's last token; all: of each, as a pass that keeps no cache makes them"},
    kScaleParameter,
    kDtypeParameter};
constexpr Parameter kTestParameters[]{{"hidden_size", "16", ""}, {"embedding_dim", "8", ""},    {"num_layers", "2", ""},
                                      {"vocab_size", "48", ""},  {"query_length", "5", ""},     {"num_docs", "20", ""},
                                      {"top_k", "4", ""},        {"generation_length", "4", ""}};
constexpr Parameter kCpuParameters[]{{"hidden_size", "128", ""}, {"embedding_dim", "64", ""},
                                     {"num_layers", "2", ""},    {"vocab_size", "1000", ""},
                                     {"query_length", "16", ""}, {"generation_length", "16", ""}};
constexpr int64_t kDocuments = 3;  // that the generator gets
constexpr int32_t kStages = 4;

Result<RagShape> shape_of(const Parameters& parameters) {
  RagShape shape;
  AACO_ASSIGN(shape.hidden, parameters.integer("hidden_size", 8, 65536));
  AACO_ASSIGN(shape.embedding, parameters.integer("embedding_dim", 1, 65536));
  AACO_ASSIGN(shape.layers, parameters.integer("num_layers", 1, 1000));
  AACO_ASSIGN(shape.vocabulary, parameters.integer("vocab_size", 2, 1'000'000));
  AACO_ASSIGN(shape.length, parameters.integer("query_length", 1, 65536));
  AACO_ASSIGN(shape.documents, parameters.integer("num_docs", 1, 10'000'000));
  AACO_ASSIGN(shape.retrieved, parameters.integer("top_k", 1, 64));
  AACO_ASSIGN(shape.generated, parameters.integer("generation_length", 1, 65536));
  AACO_ASSIGN(const size_t all, parameters.choice("logits", {{"last", "all"}}));
  AACO_ASSIGN(shape.precision, parameters.precision());
  shape.all_logits = all != 0;
  shape.picked = std::min(kDocuments, shape.retrieved);
  if (shape.retrieved > shape.documents || shape.hidden % 8 != 0) {
    return Error{ErrorKind::kUsage, "top_k must not be more than num_docs, and hidden_size must be a multiple of 8",
                 "choose others with --param"};
  }
  return shape;
}

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(RagShape shape, shape_of(builder.parameters()));
  AACO_ASSIGN(const int64_t batch, builder.parameters().integer("batch_size", 1, 65536));
  AACO_ASSIGN(const int64_t copies, copies_of_work(builder, kStreamsPerCopy));
  const RagModel model = make_rag_model(builder, shape);
  for (int64_t copy = 0; copy < copies; ++copy) {
    const StreamShare streams = all_streams(builder).part(copy, copies);
    const int64_t lanes = std::min<int64_t>((streams.count + kStages - 1) / kStages, batch);
    for (int64_t i = 0; i < lanes; ++i) {
      shape.queries = item_range(batch, i, lanes).count;
      const RagLane lane = run_rag_lane(builder, streams.part(i, lanes), model, shape);
      const std::string name = fmt::format(" of lane {}.{}", copy, i);
      builder.output("found" + name, lane.retrieved);
      builder.output("picked" + name, lane.picked);
      builder.output("tokens" + name, lane.tokens);
      builder.check([=](DeviceReader& reader, int64_t) { return check_rag_lane(reader, model, shape, lane); });
    }
  }
  builder.units(static_cast<double>(copies * batch));
  return {};
}

}  // namespace

const WorkloadInfo rag_pipeline{
    .id = "rag_pipeline",
    .alias = "",
    .priority = "P2",
    .category = "inference",
    .unit = "queries",
    .summary = "Queries are embedded, documents found and ranked, answers generated, each stage on its queue",
    .about =
        "A pipeline of unequal stages. Queries of 64 tokens are embedded; the 10 nearest of 100 documents are found, "
        "ranked again, and the best 3 go with the query to a generator of 4 layers, which makes an answer of "
        "generation_length tokens, one by one over its cache: that is where the time goes. Half of a copy's 4 queries "
        "go through 4 streams of 8, one for each stage, and a stage begins with the next iteration's queries as soon "
        "as "
        "what it gave has been read; captured as a graph, iterations do not overlap so. Every further 8 streams serve "
        "another copy with queries of its own; with scale=fixed there is one, of at most 16 streams. "
        "generation_length=1 with logits=all is one forward pass over the prompt, to compare with tools that do that. "
        "The cache is filled anew in each iteration.",
    .recommended_streams = 8,
    .switch_sensitivity = "high",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
