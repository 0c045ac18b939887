// SPDX-License-Identifier: MIT
// Square weights that live in pinned host memory with their gradients and momentum, and visit the device for their use
// and for their update, over streams of their own.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "workload/layers/closeness.h"
#include "workload/layers/matmul.h"
#include "workload/layers/stream_share.h"

namespace aaco {

struct OffloadShape {
  int64_t weights = 0;
  int64_t size = 0;    // rows and columns
  int64_t window = 0;  // weights, and gradients, on the device at a time
  int64_t chunks = 0;  // of a weight at least
  Precision precision;
};

// All pinned, [size, size].
struct OffloadedWeight {
  Tensor master;    // fp32
  Tensor low;       // of the precision; in fp32 the same memory as `master`
  Tensor momentum;  // fp32
  Tensor grad;      // fp32
  // The first values of the weight, and of its momentum, before its latest update; for the check.
  Tensor master_before;
  Tensor momentum_before;
};

// Weights in the order of use: fetch, use, fetched_is_used; gradient, write it, update. On an iteration's end,
// end_iteration().
class OffloadedWeights {
 public:
  OffloadedWeights(WorkloadBuilder& builder, const OffloadShape& shape);

  size_t count() const { return weights_.size(); }
  const OffloadedWeight& weight(size_t i) const { return weights_[i]; }
  int32_t compute_stream() const { return 0; }

  // Brings a weight in, unless it is still there; the compute stream goes on when it is.
  Tensor fetch(int64_t weight);
  void fetched_is_used();
  // Where the compute stream may write the weight's gradient now.
  Tensor gradient(int64_t weight);
  // The gradient goes out, then the weight's update is done, chunk by chunk.
  void update(int64_t weight, float rate);
  // What the next iteration brings in is what this one has updated.
  void end_iteration();

 private:
  // Where an updating stream works on one chunk at a time.
  struct Bench {
    Tensor master;
    Tensor momentum;
    Tensor grad;
    Tensor low;
  };

  // Momentum and weight of a chunk come in.
  void take_state(int64_t weight, ItemRange elements, int32_t stream, const Bench& bench);
  // Its gradient does, and all but that goes back.
  void update_chunk(int64_t weight, ItemRange elements, int32_t stream, const Bench& bench, float rate);

  Program& program_;
  OffloadShape shape_;
  StreamShare prefetching_;
  StreamShare updating_;
  int64_t chunks_ = 1;
  std::vector<OffloadedWeight> weights_;
  std::vector<Bench> benches_;  // by updating stream
  std::vector<Tensor> slots_;
  std::vector<int64_t> slot_holds_;                // weight; -1: none
  std::vector<std::optional<int32_t>> slot_used_;  // event behind the latest use
  std::vector<Tensor> grad_slots_;
  std::vector<std::vector<int32_t>> grad_slot_out_;  // events: the chunks of the latest gradient have gone out
  int64_t fetched_ = 0;                              // slot
  int64_t copies_ = 0;                               // of chunks, dealt out to the prefetching streams in turn
  int64_t updates_ = 0;
};

// Momentum and weight of the first elements again, on the host, from the gradient and what they were before.
Result<void> check_update(DeviceReader& reader, const OffloadedWeight& weight, size_t number, float rate);

}  // namespace aaco
