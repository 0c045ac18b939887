// SPDX-License-Identifier: MIT
#include "kind/training/worker/training_loop.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "base/statistics.h"
#include "engine/warmup.h"
#include "kind/training/worker/processor_power.h"
#include "kind/training/worker/step_loop.h"
#include "kind/training/worker/training_note.h"
#include "workload/checks/verify.h"
#include "workload/workload.h"

namespace aaco {

namespace {

void tell(const StepLoop& loop, TrainingProcess& process) {
  process.steps = static_cast<int64_t>(loop.step_ns().size());
  process.wall_ns = static_cast<int64_t>(loop.wall_ns() - loop.outside_ns());
  process.stationary = is_stationary(loop.step_ns());
  process.p50_ns = median(loop.step_ns());
  process.dispatch_p50_ns = median(loop.dispatch_ns());
}

Result<std::vector<double>> read_losses(const PreparedTraining& prepared, int64_t steps) {
  AACO_ASSIGN(const auto reader, make_device_reader(*prepared.device));
  AACO_ASSIGN(const std::vector<float> history, reader->floats(prepared.training.history));
  return std::vector<double>(history.begin(),
                             history.begin() + std::min<int64_t>(steps, prepared.training.config.steps));
}

// Of all weights that the optimiser changes: FNV-1a (Fowler, Noll, Vo), by words of four bytes. Two processes that
// trained alike have the same; that two others have is one chance in 2^64.
Result<std::string> sum_of_weights(const PreparedTraining& prepared) {
  AACO_ASSIGN(const auto reader, make_device_reader(*prepared.device));
  AACO_ASSIGN(const auto masters, read_masters(prepared.training, *reader));
  uint64_t sum = 0xcbf29ce484222325;
  for (const std::vector<float>& values : masters) {
    for (const float value : values) {
      sum = (sum ^ std::bit_cast<uint32_t>(value)) * 0x100000001b3;
    }
  }
  return fmt::format("{:016x}", sum);
}

}  // namespace

Result<void> measure_training(PreparedTraining& prepared, Recorder& recorder, const TrainingRequest& request,
                              TrainingProcess& process) {
  AACO_ASSIGN(const DispatchMode mode, dispatch_mode_named(request.dispatch));
  int64_t before = 0;
  AACO_ASSIGN(const std::unique_ptr<Dispatcher> dispatcher, make_step_dispatcher(prepared, mode, before));
  StepLoop loop(prepared.target, recorder, *dispatcher);
  NoteWriter notes(prepared, request, process.process, before);
  loop.after_step([&](int64_t done) { return notes.after_step(done); });
  ProcessorPower power;
  if (request.telemetry && request.device.starts_with("cpu")) {
    loop.around_measured([&] { power.start(); }, [&](double wall_ns) { process.power = power.stop(wall_ns / 1e9); });
  }
  // So that versions are at the same loss after as many steps.
  Result<void> ran = loop.run(std::max<int64_t>(0, request.warmup - before), request.steps);
  if (!ran) {
    // What was enqueued uses the dispatcher's events and graph. The first error is the one to tell.
    static_cast<void>(synchronize(prepared.target));
    return ran;
  }
  tell(loop, process);
  AACO_ASSIGN(process.losses, read_losses(prepared, before + loop.steps_done()));
  AACO_ASSIGN(process.weights, sum_of_weights(prepared));
  return {};
}

}  // namespace aaco
