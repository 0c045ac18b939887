// SPDX-License-Identifier: MIT
// One training step of the LLaMA on one of several ranks, as a program: the passes of training/, and collectives beside
// them on streams and communicators of their own (communicator_ranks.h); batches arrive on a stream of their own too.
// The same program is every step.
#pragma once

#include <memory>
#include <vector>

#include "workload/sharded/batch_loader.h"
#include "workload/sharded/sharded_weights.h"
#include "workload/training/llama_step.h"

namespace aaco {

// Streams of its program, by what they are for.
enum class ShardedStream : int32_t { kCompute, kGather, kReduce, kReplicate, kCopy };
inline constexpr int32_t kShardedStreams = 5;
// "compute", "all-gather", "reduce-scatter", "all-reduce", "copy"
const char* name_of(ShardedStream stream);

// How far a communicator's collectives are in the step that is being done: the number of the last that began and of the
// last that is done, counted from 1 in the program's order. The host may read them at any time, and sets them to 0
// before a step.
struct ProgressWords {
  int32_t begun = 0;
  int32_t done = 0;
};

struct ShardedTraining {
  ShardedConfig config;
  std::unique_ptr<WorkloadInstance> instance;  // setup: weights, data, the clock at step 1; iteration: a step
  ShardedWeights weights;
  BatchSource source;  // of this rank's batches; make_step_dispatcher() has them loaded
  BatchSlots slots;
  // What setup ends with, and each step for the next: to be done again where parameters were changed in between.
  Program first_gathers{kShardedStreams};
  std::vector<StepLabel> labels;  // of each command of the iteration
  Tensor history;                 // fp32 [steps]: this rank's mean loss; the batch's is the mean over ranks
  Tensor clock;                   // a TrainingClock
  Tensor progress;                // of a watched one: ProgressWords by communicator, pinned host memory
  std::vector<Tensor> on_link;    // gradients as they are sent and received, where that is not in fp32
};

// Errors: kUsage of the configuration; kResource where memory does not suffice.
Result<ShardedTraining> build_sharded(Device& device, const ShardedConfig& config);

}  // namespace aaco
