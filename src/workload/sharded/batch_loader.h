// SPDX-License-Identifier: MIT
// What a sharded step is trained on: made on the host ahead of the step, and copied to the device beside the step
// before, on a stream of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "workload/builder.h"
#include "workload/dispatch.h"
#include "workload/training/step_writer.h"

namespace aaco {

struct ShardedTraining;

// A rank's data of all micro-steps of a step, as bytes.
struct BatchSource {
  int64_t bytes = 0;
  // Of step `step`, from 1. Several threads may call it at once.
  std::function<void(int64_t step, std::byte* to)> make;
};

// Where batches lie. The device copies `staging` to `arriving` while it computes with `current`.
struct BatchSlots {
  Tensor staging;   // pinned host memory: of the step behind the next one, until it is taken
  Tensor arriving;  // of the next step
  Tensor current;   // of the step that is being done
  Tensor consumed;  // int32, pinned host memory: the device sets it to 1 behind the copy
};

// Slots beside `current`; setup leaves the first step's batch arriving, and the second's staged.
BatchSlots make_batch_slots(WorkloadBuilder& builder, const BatchSource& source, const Tensor& current, int32_t stream);

// At the beginning of a step: what has arrived becomes current; then, on stream `copies`, the next batch arrives. The
// writer stays at its stream.
void write_batch_copies(StepWriter& step, const BatchSlots& slots, int32_t copies);

// Dispatches steps of the training (`program`: its iteration, or the same work in another order), each behind the
// loading of the batch that its copy takes, from the step on that its clock says. While there is one, nothing of the
// training may be enqueued otherwise, and there may be no other one: both would stage batches. `training` and `target`
// must outlive it. Errors: those of make_dispatcher and of the device.
Result<std::unique_ptr<Dispatcher>> make_step_dispatcher(DispatchMode mode, const ShardedTraining& training,
                                                         const Program& program, const ProgramTarget& target);
// The same of what another dispatcher dispatches, which must outlive it.
Result<std::unique_ptr<Dispatcher>> load_batches_of(Dispatcher& inner, const ShardedTraining& training,
                                                    const ProgramTarget& target);

}  // namespace aaco
