// SPDX-License-Identifier: MIT
#include "code_units.h"

#include <array>
#include <memory>
#include <utility>

#include "device/check/check_op.h"
#include "device/ops/op_work.h"
#include "on_doubles.h"
#include "workload/training/test_training.h"

namespace aaco {
namespace {

Result<void> check_on(ModuleBackend& backend, const OpCase& op_case, uint64_t seed) {
  AACO_ASSIGN(Device * device, backend.open(0));
  AACO_ASSIGN(const CaseResult result, check_case(*device, op_case, seed));
  return result.passed() ? Result<void>{} : wrong(result.failure);
}

// A pause of so many blocks stamps its beginning and its end, the one so long after the other.
Result<void> spin(ModuleBackend& backend) {
  constexpr int64_t kPauseNs = 200'000;
  AACO_ASSIGN(Device * device, backend.open(0));
  AACO_ASSIGN(const auto stream, device->make_stream(0));
  AACO_ASSIGN(const auto memory, device->allocate(sizeof(SpinStamp), MemoryKind::kDevice));
  auto* const stamp = static_cast<SpinStamp*>(memory->data());
  for (const int32_t blocks : {1, 3}) {
    *stamp = kUnwrittenStamp;
    stream->launch(SpinArgs{.stamp = stamp, .duration_ns = kPauseNs, .blocks = blocks});
    stream->launch(NullArgs());
    AACO_TRY(stream->synchronize());
    const auto took = static_cast<int64_t>(stamp->end_ns - stamp->start_ns);
    if (took < kPauseNs || stamp->blocks != static_cast<uint64_t>(blocks)) {
      return wrong(std::to_string(stamp->blocks) + " blocks paused for " + std::to_string(took) + " ns");
    }
  }
  return {};
}

// Opens when the host says so, or says itself that nobody did.
Result<void> gate(ModuleBackend& backend) {
  AACO_ASSIGN(Device * device, backend.open(0));
  AACO_ASSIGN(const auto stream, device->make_stream(0));
  AACO_ASSIGN(const auto memory, device->allocate(2 * sizeof(uint32_t), MemoryKind::kPinnedHost));
  auto* const words = static_cast<uint32_t*>(memory->data());
  for (const bool opens : {true, false}) {
    words[0] = words[1] = 0;
    stream->launch(GateArgs{.flag = words, .timed_out = words + 1, .timeout_ns = opens ? 10'000'000'000 : 1'000'000});
    if (opens) {
      __atomic_store_n(words, 1, __ATOMIC_RELEASE);
    }
    AACO_TRY(stream->synchronize());
    if (words[1] != (opens ? 0U : 1U)) {
      return wrong(opens ? "it did not open" : "it opened by itself");
    }
  }
  return {};
}

Result<void> run_workload(ModuleBackend& backend, const WorkloadInfo& info) {
  AACO_ASSIGN(const OnDoubles run, OnDoubles::make(backend, info, 1));
  AACO_TRY(run.verify_as(DispatchMode::kThreads));
  return run.instance->iteration.host_steps().empty() ? run.verify_as(DispatchMode::kGraph) : Result<void>{};
}

Result<TestTraining> make_training(ModuleBackend& backend, const LlamaConfig& config) {
  TestTraining made;
  AACO_ASSIGN(Device * device, backend.open(0));
  for (int32_t i = 0; i < llama_streams(config.fusions); ++i) {
    AACO_ASSIGN(made.streams.emplace_back(), device->make_stream(0));
    made.target.streams.push_back(made.streams.back().get());
    made.target.devices.push_back(device);
  }
  AACO_ASSIGN(made.training, build_llama(*device, config));
  AACO_ASSIGN(made.reader, make_device_reader(*device));
  AACO_TRY(run_setup(*made.training.instance, made.target));
  return made;
}

// Each operation of a step against the CPU, and what a step leaves by a graph against what it leaves one by one.
Result<void> check_steps(ModuleBackend& backend, const LlamaConfig& config) {
  AACO_ASSIGN(const auto made, make_training(backend, config));
  AACO_TRY(verify(*made.training.instance, made.target, DispatchMode::kGraph, VerifyLimits()));
  return {};
}

// The gradients of a step and the losses of several against the oracle.
Result<void> pass_gates(ModuleBackend& backend, const LlamaConfig& config) {
  for (const auto& judge : {gradients_are_the_oracles, losses_are_the_oracles}) {
    AACO_ASSIGN(const auto made, make_training(backend, config));
    AACO_ASSIGN(const GateOutcome outcome, judge(made.subject()));
    if (!outcome.passed) {
      return wrong(outcome.observed + ", must be " + outcome.must);
    }
  }
  return {};
}

void add_training(std::vector<CodeUnit>& units, bool gates) {
  for (int32_t version = 1; version <= kBesideVersion; ++version) {
    for (const Dtype dtype : {Dtype::kF32, Dtype::kBf16}) {
      LlamaConfig config = test_config(version, dtype == Dtype::kF32);
      config.precision.dtype = dtype;
      const std::string name = "version " + std::to_string(version) + ", " + name_of(dtype);
      units.push_back({"training", name, [config](ModuleBackend& backend) { return check_steps(backend, config); }});
      if (gates) {
        units.push_back(
            {"training_gates", name, [config](ModuleBackend& backend) { return pass_gates(backend, config); }});
      }
    }
  }
}

void add_cases(std::vector<CodeUnit>& units, const char* group, const std::vector<OpCase>& cases, uint64_t seed) {
  for (const OpCase& op_case : cases) {
    units.push_back({group, std::string(name_of(op_case.op)) + ": " + op_case.name,
                     [op_case, seed](ModuleBackend& backend) { return check_on(backend, op_case, seed); }});
  }
}

}  // namespace

std::vector<CodeUnit> code_units(uint64_t seed, bool all) {
  std::vector<CodeUnit> units;
  add_cases(units, "cases", all_op_cases(), seed);
  units.push_back({"probes", "spin, null", spin});
  units.push_back({"probes", "gate", gate});
  for (const WorkloadInfo* info : all_workloads()) {
    units.push_back({"workloads", info->id, [info](ModuleBackend& backend) { return run_workload(backend, *info); }});
  }
  add_training(units, all);
  return units;
}

std::vector<CodeUnit> units_of_own_convolutions(uint64_t seed) {
  std::vector<CodeUnit> units;
  add_cases(units, "own_convolutions", conv_cases(), seed);
  return units;
}

}  // namespace aaco
