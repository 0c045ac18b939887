// SPDX-License-Identifier: MIT
#include "workload/inference/sequence_family.h"

#include <cmath>
#include <fmt/format.h>

#include "workload/layers/hand_off.h"

namespace aaco {

namespace {

Tensor scalar(WorkloadBuilder& builder, int64_t value) {
  return builder.filled(Dtype::kI32, {1}, static_cast<double>(value));
}

// The sequences are as old as if the family had been at work for long: slot i has had i tokens.
void fill_slots(WorkloadBuilder& builder, const SequenceFamily& family) {
  Program& setup = builder.setup();
  const auto bytes = static_cast<size_t>(family.numbers.bytes());
  setup.copy(0, family.turnover.age.data, family.numbers.data, bytes);
  setup.op(0, integers(family.numbers, BinaryOp::kAdd, family.length, family.lengths));
  setup.op(0, integers(family.lengths, BinaryOp::kAdd, family.turnover.ones, family.seen));
}

// Attention of the newcomer is over its own projections; they go into a cache of their own, since decoding still reads
// the slot's.
void prefill_newcomer(WorkloadBuilder& builder, int32_t stream, const Decoder& model, const SequenceFamily& family) {
  Program& program = builder.iteration();
  const FamilyShape& shape = family.shape;
  const Tensor empty = builder.tensor(Dtype::kI32, {1});
  const DecoderScratch scratch = make_decoder_scratch(builder, model.shape, shape.prompt, 0);
  program.copy(stream, family.newcomer.data, family.prompt.data, static_cast<size_t>(family.prompt.bytes()));
  run_prefill(program, stream, model, {family.newcomer, 1, shape.prompt, &family.arriving, empty}, scratch);
  const int64_t hidden = model.shape.hidden;
  program.op(stream, normalised(family.newcomer.view((shape.prompt - 1) * hidden, {1, hidden}),
                                family.states.view(shape.slots * hidden, {1, hidden})));
}

void decode_slots(WorkloadBuilder& builder, int32_t stream, const Decoder& model, const SequenceFamily& family,
                  ItemRange slots) {
  const int64_t hidden = model.shape.hidden;
  const DecoderScratch scratch = make_decoder_scratch(builder, model.shape, slots.count, slots.count);
  const Tensor x = family.x.view(slots.first * hidden, {slots.count, hidden});
  run_decode(builder.iteration(), stream, model,
             {x, 1, family.cache.part(slots.first, slots.count), family.lengths.view(slots.first, {slots.count}),
              family.seen.view(slots.first, {slots.count})},
             scratch);
  builder.iteration().op(stream, normalised(x, family.states.view(slots.first * hidden, {slots.count, hidden})));
}

// Who leaves, and what that means for places, sources and lengths. Nothing of it is read by the models' passes.
void turn_over(Program& program, int32_t stream, const SequenceFamily& family) {
  const Turnover& turnover = family.turnover;
  advance(program, stream, turnover);
  program.op(stream, integers(turnover.keep, BinaryOp::kMul, family.capacity, family.places));
  program.op(stream, integers(turnover.done, BinaryOp::kMul, family.length, family.fresh));
  program.op(stream, integers(family.numbers, BinaryOp::kMul, turnover.keep, family.source));
}

// Slot of the leaving sequence: source = keep * number + done * slots, the newcomer's row behind all slots'.
void let_in(Program& program, int32_t stream, const Decoder& model, const SequenceFamily& family,
            const Tensor& newcomer_row) {
  const Turnover& turnover = family.turnover;
  program.op(stream, integers(turnover.done, BinaryOp::kMul, family.slots, newcomer_row));
  program.op(stream, integers(family.source, BinaryOp::kAdd, newcomer_row, family.source));
  GatherArgs next;
  next.table = family.states.data;
  next.ids = family.source.as<int32_t>();
  next.out = family.x.data;
  next.count = family.shape.slots;
  next.cols = model.shape.hidden;
  next.table_rows = family.shape.slots + 1;
  next.dtype = family.x.dtype;
  program.op(stream, next);
  program.op(stream, integers(family.seen, BinaryOp::kMul, turnover.keep, family.lengths));
  program.op(stream, integers(family.lengths, BinaryOp::kAdd, family.fresh, family.lengths));
  program.op(stream, integers(family.lengths, BinaryOp::kAdd, turnover.ones, family.seen));
  for (int64_t layer = 0; layer < model.shape.layers; ++layer) {
    program.op(stream, moved_in(model, layer, family.arriving, family.cache, family.places));
  }
}

}  // namespace

SequenceFamily make_family(WorkloadBuilder& builder, const Decoder& model, const FamilyShape& shape) {
  const Dtype dtype = model.shape.precision.dtype;
  const int64_t hidden = model.shape.hidden;
  SequenceFamily family;
  family.shape = shape;
  family.prompt = builder.random(dtype, {shape.prompt, hidden}, -1, 1);
  family.newcomer = builder.tensor(dtype, {shape.prompt, hidden});
  family.arriving = make_cache(builder, model.shape, 1, shape.prompt, shape.prompt, shape.cache_dtype);
  family.cache = make_random_cache(builder, model.shape, shape.slots, shape.capacity, shape.prompt, shape.cache_dtype);
  family.x = builder.random(dtype, {shape.slots, hidden}, -1, 1);
  family.states = builder.tensor(dtype, {shape.slots + 1, hidden});
  for (Tensor* integers : {&family.lengths, &family.seen, &family.places, &family.source, &family.fresh}) {
    *integers = builder.tensor(Dtype::kI32, {shape.slots});
  }
  family.turnover = make_turnover(builder, shape.slots, shape.slots);
  family.numbers = counting(builder, shape.slots);
  family.slots = scalar(builder, shape.slots);
  family.capacity = scalar(builder, shape.capacity);
  family.length = scalar(builder, shape.prompt);
  fill_slots(builder, family);
  return family;
}

void run_family(WorkloadBuilder& builder, StreamShare streams, const Decoder& model, const SequenceFamily& family) {
  Program& program = builder.iteration();
  const int64_t groups = std::clamp<int64_t>(streams.count - 1, 1, family.shape.slots);
  const Tensor newcomer_row = builder.tensor(Dtype::kI32, {family.shape.slots});
  std::vector<int32_t> decoding;
  for (int64_t group = 0; group < groups; ++group) {
    decoding.push_back(streams.role(static_cast<int32_t>(group) + 1));
  }
  hand_off(program, streams.first, decoding);
  for (int64_t group = 0; group < groups; ++group) {
    decode_slots(builder, decoding[static_cast<size_t>(group)], model, family,
                 item_range(family.shape.slots, group, groups));
  }
  turn_over(program, decoding.front(), family);
  prefill_newcomer(builder, streams.first, model, family);
  program.after(streams.first, decoding);
  let_in(program, streams.first, model, family, newcomer_row);
}

Result<void> check_family(DeviceReader& reader, const Decoder& model, const SequenceFamily& family,
                          int64_t iterations) {
  const FamilyShape& shape = family.shape;
  AACO_ASSIGN(const std::vector<int32_t> ages, reader.integers(family.turnover.age));
  AACO_ASSIGN(const std::vector<int32_t> lengths, reader.integers(family.lengths));
  AACO_ASSIGN(const std::vector<float> states, reader.floats(family.states));
  const auto wrong = [](std::string message) {
    return Error{ErrorKind::kInvalid, std::move(message),
                 "the device computes something else than asked for: check its health, then report it"};
  };
  for (const float value : states) {
    if (!std::isfinite(value)) {
      return wrong("a state behind decoding is no number");
    }
  }
  int64_t changed = 0;
  for (int64_t slot = 0; slot < shape.slots; ++slot) {
    const int64_t age = (slot + iterations) % shape.slots;
    changed = age == 0 ? slot : changed;
    const auto i = static_cast<size_t>(slot);
    if (ages[i] != age || lengths[i] != shape.prompt + age) {
      return wrong(fmt::format("slot {} after {} iterations: {} tokens of age and {} rows, should be {} and {}", slot,
                               iterations, ages[i], lengths[i], age, shape.prompt + age));
    }
  }
  const int64_t elements = shape.prompt * model.shape.hidden / model.shape.heads;  // of the first head
  const int64_t first = changed * model.shape.hidden * shape.capacity;
  AACO_ASSIGN(const std::vector<float> moved, reader.floats(family.cache.keys.view(first, {elements})));
  AACO_ASSIGN(const std::vector<float> arrived, reader.floats(family.arriving.keys.view(0, {elements})));
  if (moved != arrived) {
    return wrong(fmt::format("slot {} does not hold the keys of the sequence that moved in", changed));
  }
  return {};
}

}  // namespace aaco
