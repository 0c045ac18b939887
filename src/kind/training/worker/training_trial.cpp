// SPDX-License-Identifier: MIT
#include "kind/training/worker/training_trial.h"

#include "device/backend.h"
#include "kind/training/document/training_request.h"
#include "kind/training/worker/prepared_training.h"
#include "kind/training/worker/recorded_steps.h"
#include "record/device/activity_table.h"
#include "workload/checks/verify.h"

namespace aaco {

Result<TrainingTrial> try_training(const std::string& device) {
  TrainingRequest asked;
  asked.device = device;
  asked.preset = "nano";
  asked.steps = 2 * kRecordedSteps;
  AACO_ASSIGN(const TrainingRequest request, complete_request(asked));
  ActivityTable sink;
  AACO_ASSIGN(Backend * backend, backend_of(device));
  AACO_ASSIGN(const auto collector, backend->collect(sink));
  AACO_ASSIGN(const auto prepared, prepare_training(request));
  AACO_ASSIGN(const EventTable events, record_steps(*prepared, request, *collector, sink));
  AACO_ASSIGN(const auto reader, make_device_reader(*prepared->device));
  AACO_ASSIGN(const std::vector<float> losses, reader->floats(prepared->training.history));
  const TrainingActivity activity = activity_of(events);
  TrainingTrial trial;
  trial.steps = activity.steps;
  trial.first_loss = losses.front();
  trial.last_loss = losses[static_cast<size_t>(kRecordedSteps)];  // three steps of warm-up come before
  trial.operations = prepared->training.instance->iteration.kernels();
  trial.recorded_per_step = activity.kernels_per_step();
  return trial;
}

}  // namespace aaco
