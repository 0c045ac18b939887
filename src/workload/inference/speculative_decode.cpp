// SPDX-License-Identifier: MIT
#include "workload/inference/speculation.h"
#include "workload/layers/stream_share.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr int32_t kStreamsPerSequence = 2;

constexpr Parameter kParameters[]{
    {"draft_hidden_size", "256", "features of the draft model, at most the main model's"},
    {"draft_num_layers", "4", "layers of the draft model"},
    {"main_hidden_size", "1024", "features of the main model"},
    {"main_num_layers", "12", "layers of the main model"},
    {"speculation_length", "4", "tokens that the draft model goes ahead"},
    {"context_length", "128", "tokens that both caches hold from the start"},
    {"rounds", "32", "iterations after which a sequence starts over behind its context"},
    {"batch_size", "1", "sequences, each on a pair of streams"},
    {"scale", "streams", "streams: batch_size sequences for every 2 streams begun; fixed: so many in all"},
    {"vocab_size", "32000", "tokens that there are"},
    {"agreement", "24", "how much larger the shared part of both models' embeddings is; 0: nothing is shared"},
    {"cache", "on", "on; off: every pass goes over the whole sequence, which stays as long as it was"},
    kDtypeParameter};
constexpr Parameter kTestParameters[]{{"draft_hidden_size", "16", ""}, {"draft_num_layers", "1", ""},
                                      {"main_hidden_size", "32", ""},  {"main_num_layers", "2", ""},
                                      {"context_length", "12", ""},    {"rounds", "4", ""},
                                      {"vocab_size", "64", ""},        {"agreement", "3", ""}};
constexpr Parameter kCpuParameters[]{{"draft_hidden_size", "128", ""}, {"draft_num_layers", "2", ""},
                                     {"main_hidden_size", "256", ""},  {"main_num_layers", "4", ""},
                                     {"context_length", "32", ""},     {"rounds", "8", ""},
                                     {"vocab_size", "2000", ""}};

Result<SpeculationShape> shape_of(const Parameters& parameters) {
  SpeculationShape shape;
  AACO_ASSIGN(const Precision precision, parameters.precision());
  AACO_ASSIGN(shape.draft.hidden, parameters.integer("draft_hidden_size", 4, 16384));
  AACO_ASSIGN(shape.draft.layers, parameters.integer("draft_num_layers", 1, 200));
  AACO_ASSIGN(shape.main.hidden, parameters.integer("main_hidden_size", 8, 32768));
  AACO_ASSIGN(shape.main.layers, parameters.integer("main_num_layers", 1, 200));
  if (shape.draft.hidden > shape.main.hidden || shape.draft.hidden % 4 != 0 || shape.main.hidden % 8 != 0) {
    return Error{ErrorKind::kUsage,
                 "draft_hidden_size must be a multiple of 4 and main_hidden_size, at least that, one of 8",
                 "choose others with --param"};
  }
  shape.draft.heads = 4;
  shape.main.heads = 8;
  shape.draft.inner = 4 * shape.draft.hidden;
  shape.main.inner = 4 * shape.main.hidden;
  shape.draft.precision = precision;
  shape.main.precision = precision;
  AACO_ASSIGN(shape.length, parameters.integer("speculation_length", 1, 64));
  AACO_ASSIGN(shape.context, parameters.integer("context_length", 1, 65536));
  AACO_ASSIGN(shape.rounds, parameters.integer("rounds", 1, 65536));
  AACO_ASSIGN(shape.vocabulary, parameters.integer("vocab_size", 2, 1'000'000));
  AACO_ASSIGN(shape.agreement, parameters.real("agreement", 0, 1e4));
  AACO_ASSIGN(const size_t anew, parameters.choice("cache", {{"on", "off"}}));
  shape.anew = anew != 0;
  return shape;
}

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(const SpeculationShape shape, shape_of(builder.parameters()));
  AACO_ASSIGN(const int64_t batch, builder.parameters().integer("batch_size", 1, 1024));
  AACO_ASSIGN(const int64_t copies, copies_of_work(builder, kStreamsPerSequence));
  const ModelPair models = make_model_pair(builder, shape);
  const int64_t sequences = batch * copies;
  const Tensor gained = builder.tensor(Dtype::kI32, {sequences});
  for (int64_t i = 0; i < sequences; ++i) {
    const StreamShare streams = all_streams(builder).part(i, sequences);
    const Tensor counter = gained.view(i, {1});
    const SpeculatedTokens tokens =
        shape.anew ? speculate_anew(builder, streams.role(0), streams.role(1), models, shape, counter)
                   : speculate_with_cache(builder, streams.role(0), streams.role(1), models, shape, counter);
    const std::string suffix = " of sequence " + std::to_string(i);
    builder.output("draft" + suffix, tokens.draft);
    builder.output("chosen" + suffix, tokens.chosen);
    builder.output("accepted" + suffix, tokens.accepted);
    builder.output("cached" + suffix, tokens.cached);
    builder.check([=](DeviceReader& reader, int64_t iterations) {
      return check_speculation(reader, tokens, counter, shape, iterations);
    });
  }
  builder.output("gained", gained);
  builder.units_counted_in(gained);
  return {};
}

}  // namespace

const WorkloadInfo speculative_decode{
    .id = "speculative_decode",
    .alias = "",
    .priority = "P1",
    .category = "inference",
    .unit = "tokens",
    .summary = "A small model goes some tokens ahead, a large one verifies them in one pass",
    .about =
        "Chains of small kernels that hand over to another queue. The draft model generates four tokens one by one "
        "over "
        "its cache; the main model goes over them and the last accepted one in one pass over its own; tokens are "
        "accepted as far as both say the same, and then comes the main model's. Both caches go back to what was "
        "accepted. The throughput counts these tokens on the device: the accepted ones, and one more in each "
        "iteration. Weights are random; that the models agree at all comes from the first features of the main model's "
        "embedding and head, which are the draft model's and larger by `agreement`: at 24 about 7 of 10 tokens should "
        "be the same at default sizes. A sequence is a chain, one stream for each model; one is in flight on every "
        "two streams, and several with batch_size. With scale=fixed there is one in all, which uses two streams. "
        "With cache=off every pass goes over the whole sequence, as tools do that have no cache.",
    .recommended_streams = 6,
    .switch_sensitivity = "high",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
