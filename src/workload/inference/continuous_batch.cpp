// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "workload/inference/sequence_family.h"
#include "workload/layers/stream_share.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr Parameter kParameters[]{
    {"hidden_size", "1024", "features"},
    {"num_layers", "8", "layers: norm, attention, residual; no dense layers besides"},
    {"num_heads", "8", "heads of attention"},
    {"prefill_batch_size", "2", "sequences that begin in an iteration"},
    {"prefill_seq_length", "512", "tokens of their prompts"},
    {"decode_batch_size", "16", "sequences that get a token in an iteration; a multiple of prefill_batch_size"},
    {"max_seq_length", "2048", "rows that the cache of a sequence has room for"},
    {"cache_dtype", "fp16", "of the cache: fp16, bf16 or fp32"},
    kScaleParameter,
    kDtypeParameter};
constexpr Parameter kTestParameters[]{{"hidden_size", "16", ""},       {"num_layers", "2", ""},
                                      {"num_heads", "2", ""},          {"prefill_seq_length", "6", ""},
                                      {"decode_batch_size", "8", ""},  {"max_seq_length", "12", ""},
                                      {"prefill_batch_size", "2", ""}, {"cache_dtype", "fp32", ""}};
constexpr Parameter kCpuParameters[]{{"hidden_size", "192", ""},
                                     {"num_layers", "4", ""},
                                     {"prefill_seq_length", "32", ""},
                                     {"max_seq_length", "128", ""}};

struct Sizes {
  DecoderShape model;
  FamilyShape family;
  int64_t families = 0;  // of a copy
};

Result<Sizes> sizes_of(const Parameters& parameters) {
  Sizes sizes;
  AACO_ASSIGN(sizes.model.hidden, parameters.integer("hidden_size", 1, 65536));
  AACO_ASSIGN(sizes.model.layers, parameters.integer("num_layers", 1, 1000));
  AACO_ASSIGN(sizes.model.heads, parameters.integer("num_heads", 1, 1024));
  AACO_ASSIGN(sizes.model.precision, parameters.precision());
  AACO_ASSIGN(sizes.families, parameters.integer("prefill_batch_size", 1, 1024));
  AACO_ASSIGN(sizes.family.prompt, parameters.integer("prefill_seq_length", 1, 65536));
  AACO_ASSIGN(const int64_t decoded, parameters.integer("decode_batch_size", 1, 65536));
  AACO_ASSIGN(sizes.family.capacity, parameters.integer("max_seq_length", 1, 1'000'000));
  AACO_ASSIGN(const size_t cache, parameters.choice("cache_dtype", {{"fp16", "bf16", "fp32"}}));
  constexpr std::array kCacheTypes{Dtype::kF16, Dtype::kBf16, Dtype::kF32};
  sizes.family.cache_dtype = kCacheTypes[cache];
  sizes.family.slots = decoded / sizes.families;
  if (decoded % sizes.families != 0 || sizes.model.hidden % sizes.model.heads != 0) {
    return Error{ErrorKind::kUsage,
                 "decode_batch_size must be a multiple of prefill_batch_size, and hidden_size one of num_heads",
                 "choose others with --param"};
  }
  if (sizes.family.capacity < sizes.family.prompt + sizes.family.slots) {
    return Error{ErrorKind::kUsage,
                 fmt::format("max_seq_length has no room for a prompt of {} and the {} tokens behind it",
                             sizes.family.prompt, sizes.family.slots),
                 "choose a larger one with --param"};
  }
  return sizes;
}

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(const Sizes sizes, sizes_of(builder.parameters()));
  AACO_ASSIGN(const int64_t copies, copies_of_work(builder, kStreamsPerCopy));
  const Decoder model = make_decoder(builder, sizes.model);
  for (int64_t copy = 0; copy < copies; ++copy) {
    const StreamShare streams = all_streams(builder).part(copy, copies);
    for (int64_t i = 0; i < sizes.families; ++i) {
      const SequenceFamily family = make_family(builder, model, sizes.family);
      run_family(builder, streams.part(i, sizes.families), model, family);
      const std::string name = fmt::format(" of family {}.{}", copy, i);
      builder.output("states" + name, family.states);
      builder.output("lengths" + name, family.lengths);
      builder.output("ages" + name, family.turnover.age);
      builder.check(
          [=](DeviceReader& reader, int64_t iterations) { return check_family(reader, model, family, iterations); });
    }
  }
  builder.units(static_cast<double>(copies * sizes.families * (sizes.family.prompt + sizes.family.slots)));
  return {};
}

}  // namespace

const WorkloadInfo continuous_batch{
    .id = "continuous_batch",
    .alias = "",
    .priority = "P1",
    .category = "inference",
    .unit = "tokens",
    .summary = "New sequences are prefilled while others decode from their caches and finished ones are replaced",
    .about =
        "Does decoding, many small kernels, keep its pace beside prefill, few large ones? In each iteration 2 "
        "sequences "
        "of 512 tokens are prefilled, and 16 get a token each from attention over their cached keys and values; the 2 "
        "oldest leave, and the new ones' keys and values move into their slots. So a sequence gets 8 tokens, lengths "
        "go from 512 to 520, and which slots change is known on the device only. With each new sequence go the slots "
        "that such sequences take, one after the other: they have a stream for the prefill, and share the others for "
        "decoding. Every further 8 streams serve another copy, which needs its own caches (1.1 GiB at default sizes); "
        "with scale=fixed there is one, of at most 18 streams. The state behind a token becomes the next input: there "
        "is no vocabulary.",
    .recommended_streams = 8,
    .switch_sensitivity = "high",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
