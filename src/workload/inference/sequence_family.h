// SPDX-License-Identifier: MIT
// Sequences that decode beside one another, of which each iteration the oldest leaves and a newly prefilled one takes
// its slot. With as many slots as a sequence gets tokens, one leaves in every iteration.
#pragma once

#include "workload/layers/models/decoder.h"
#include "workload/layers/stream_share.h"
#include "workload/layers/turnover.h"

namespace aaco {

struct FamilyShape {
  int64_t slots = 0;     // also the tokens that a sequence gets
  int64_t prompt = 0;    // tokens that are prefilled
  int64_t capacity = 0;  // of a slot's cache, at least prompt + slots
  Dtype cache_dtype = Dtype::kF16;
};

struct SequenceFamily {
  FamilyShape shape;
  Tensor prompt;     // [prompt, hidden]: what every newcomer begins with
  Tensor newcomer;   // [prompt, hidden]: it on its way through the layers
  KvCache arriving;  // one sequence of `prompt` rows
  KvCache cache;
  Tensor x;        // [slots, hidden]: what goes into the next decoding
  Tensor states;   // [slots + 1, hidden]: what came out of the last one; the newcomer's
  Tensor lengths;  // int32 [slots]: rows in the caches
  Tensor seen;     // lengths + 1
  // Each int32 [slots] and made anew in an iteration:
  Tensor places;  // where the newcomer's rows go: 0 where it moves in, else beyond the capacity
  Tensor source;  // row of `states` that a slot goes on with
  Tensor fresh;   // its length where it moves in
  Turnover turnover;
  // Constants.
  Tensor numbers;  // 0, 1, ..., slots - 1
  Tensor slots;    // [1]
  Tensor capacity;
  Tensor length;
};

SequenceFamily make_family(WorkloadBuilder& builder, const Decoder& model, const FamilyShape& shape);
// The first stream prefills, and lets the newcomer in at the end; the others decode, some slots each.
void run_family(WorkloadBuilder& builder, StreamShare streams, const Decoder& model, const SequenceFamily& family);

// Ages and lengths are what so many iterations make of those at the start, states are numbers, and the slot that
// changed last holds the newcomer's keys and values.
Result<void> check_family(DeviceReader& reader, const Decoder& model, const SequenceFamily& family, int64_t iterations);

}  // namespace aaco
