// SPDX-License-Identifier: MIT
#include "workload/layers/models/decoder.h"

#include "workload/checks/workload_run.h"

namespace aaco {

namespace {

constexpr int64_t kHidden = 16;
constexpr int64_t kPrompt = 4;
constexpr int64_t kRows = 7;  // a prompt of 4, then a pass of 1 token, then one of 2

// Copies row `row` of each sequence of `from` [sequences, kRows, hidden] side by side.
void take_row(Program& program, const Tensor& from, int64_t sequences, int64_t row, const Tensor& to) {
  for (int64_t sequence = 0; sequence < sequences; ++sequence) {
    program.copy(0, to.view(sequence * kHidden, {1}).data, from.view((sequence * kRows + row) * kHidden, {1}).data,
                 static_cast<size_t>(kHidden * size_of(to.dtype)));
  }
}

struct Passes {
  Tensor whole;    // [sequences, kRows, hidden]: behind one pass over all
  Tensor decoded;  // [3, sequences, hidden]: behind passes over the cache, the last three rows
};

Passes run_passes(WorkloadBuilder& builder, int64_t sequences, int64_t inner) {
  const DecoderShape shape{2, kHidden, 2, inner, {}};
  const Decoder decoder = make_decoder(builder, shape);
  const DecoderScratch scratch = make_decoder_scratch(builder, shape, sequences * kRows, sequences);
  const KvCache cache = make_cache(builder, shape, sequences, kRows, kRows, Dtype::kF32);
  const Tensor input = builder.random(Dtype::kF32, {sequences, kRows, kHidden}, -1, 1);
  Passes passes{builder.tensor(Dtype::kF32, {sequences, kRows, kHidden}),
                builder.tensor(Dtype::kF32, {kRows - kPrompt, sequences, kHidden})};
  const Tensor prompt = builder.tensor(Dtype::kF32, {sequences, kPrompt, kHidden});
  std::vector<Tensor> lengths;  // lengths[n]: n for every sequence
  for (int64_t n = 0; n <= kRows; ++n) {
    lengths.push_back(builder.filled(Dtype::kI32, {sequences}, static_cast<double>(n)));
  }
  const Tensor last_two = builder.tensor(Dtype::kI32, {2, sequences});
  Program& program = builder.iteration();
  program.copy(0, passes.whole.data, input.data, static_cast<size_t>(input.bytes()));
  run_prefill(program, 0, decoder, {passes.whole, sequences, kRows, nullptr, {}}, scratch);
  for (int64_t row = 0; row < kPrompt; ++row) {
    for (int64_t sequence = 0; sequence < sequences; ++sequence) {
      program.copy(0, prompt.view((sequence * kPrompt + row) * kHidden, {1}).data,
                   input.view((sequence * kRows + row) * kHidden, {1}).data, kHidden * sizeof(float));
    }
  }
  run_prefill(program, 0, decoder, {prompt, sequences, kPrompt, &cache, lengths[0]}, scratch);
  for (int64_t row = kPrompt; row < kRows; ++row) {
    take_row(program, input, sequences, row, passes.decoded.view((row - kPrompt) * sequences * kHidden, {1}));
  }
  run_decode(program, 0, decoder,
             {passes.decoded.view(0, {sequences, kHidden}), 1, cache, lengths[kPrompt], lengths[kPrompt + 1]}, scratch);
  const auto bytes = static_cast<size_t>(lengths[0].bytes());
  program.copy(0, last_two.data, lengths[kPrompt + 2].data, bytes);
  program.copy(0, last_two.view(sequences, {1}).data, lengths[kPrompt + 3].data, bytes);
  run_decode(
      program, 0, decoder,
      {passes.decoded.view(sequences * kHidden, {2 * sequences, kHidden}), 2, cache, lengths[kPrompt + 1], last_two},
      scratch);
  return passes;
}

// What goes over the cache, token by token or two at a time, is what one causal pass over the whole sequence gives.
TEST(DecoderTest, DecodesWhatAWholePassGives) {
  const auto device = open_device("cpu:0");
  ASSERT_TRUE(device) << device.error().message;
  for (const int64_t sequences : {1, 3}) {
    for (const int64_t inner : {0, 24}) {
      WorkloadRequest request;
      request.devices = {*device};
      WorkloadInstance instance;
      instance.setup = Program(1);
      instance.iteration = Program(1);
      WorkloadBuilder builder(request, instance);
      const Passes passes = run_passes(builder, sequences, inner);
      ASSERT_FALSE(builder.failure());
      const auto stream = (*device)->make_stream(0);
      ASSERT_TRUE(stream) << stream.error().message;
      const ProgramTarget target{{stream->get()}, {*device}};
      expect_ok(run_setup(instance, target));
      const auto dispatcher = make_dispatcher(DispatchMode::kSingle, instance.iteration, target);
      ASSERT_TRUE(dispatcher) << dispatcher.error().message;
      expect_ok((*dispatcher)->enqueue());
      expect_ok(synchronize(target));
      for (int64_t row = kPrompt; row < kRows; ++row) {
        for (int64_t i = 0; i < sequences * kHidden; ++i) {
          const float whole = passes.whole.as<float>()[(i / kHidden * kRows + row) * kHidden + i % kHidden];
          const float decoded = passes.decoded.as<float>()[(row - kPrompt) * sequences * kHidden + i];
          ASSERT_NEAR(decoded, whole, 1e-5) << sequences << " sequences, row " << row << ", element " << i;
        }
      }
    }
  }
}

}  // namespace

}  // namespace aaco
