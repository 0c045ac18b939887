// SPDX-License-Identifier: MIT
// For tests: a small training on the CPU, and its steps.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/backend.h"
#include "workload/checks/verify.h"
#include "workload/training/gates/llama_gates.h"
#include "workload/training/llama_step.h"

namespace aaco {

struct TestTraining {
  LlamaTraining training;
  std::vector<std::unique_ptr<Stream>> streams;
  ProgramTarget target;
  std::unique_ptr<DeviceReader> reader;

  // `step`: what is done in place of the training's own.
  Result<void> train(int64_t steps, const Program& step, DispatchMode mode = DispatchMode::kSingle) const {
    AACO_ASSIGN(const auto dispatcher, make_dispatcher(mode, step, target));
    for (int64_t i = 0; i < steps; ++i) {
      AACO_TRY(dispatcher->enqueue());
    }
    return synchronize(target);
  }
  GateSubject subject(const Program& step) const {
    return {training, [this, &step](int64_t steps) { return train(steps, step); }, *reader};
  }
  GateSubject subject() const { return subject(training.instance->iteration); }
  std::vector<float> losses() const {
    auto losses = reader->floats(training.history);
    return losses ? std::move(*losses) : std::vector<float>();
  }
};

// Version 5: the fourth with everything that can be done beside the backward pass beside it.
inline constexpr int32_t kBesideVersion = 5;
// Version 6: the fourth with what can be computed again computed again.
inline constexpr int32_t kRecomputeVersion = 6;

inline LlamaConfig test_config(int32_t version, bool ragged = false) {
  LlamaConfig config = oracle_config(LlamaConfig(), ragged);
  const auto versions = llama_versions();
  config.fusions = versions[std::min(static_cast<size_t>(version - 1), versions.size() - 1)].fusions;
  config.fusions.beside = version == kBesideVersion;
  config.fusions.recompute = version == kRecomputeVersion;
  return config;
}

inline Result<TestTraining> make_test_training(const LlamaConfig& config) {
  TestTraining training;
  AACO_ASSIGN(Device * device, open_device("cpu:0"));
  for (int32_t i = 0; i < llama_streams(config.fusions); ++i) {
    AACO_ASSIGN(training.streams.emplace_back(), device->make_stream(0));
    training.target.streams.push_back(training.streams.back().get());
    training.target.devices.push_back(device);
  }
  AACO_ASSIGN(training.training, build_llama(*device, config));
  AACO_ASSIGN(training.reader, make_device_reader(*device));
  AACO_TRY(run_setup(*training.training.instance, training.target));
  return training;
}

}  // namespace aaco
