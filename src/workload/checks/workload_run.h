// SPDX-License-Identifier: MIT
// For tests: a workload on CPU devices, at its sizes for tests, and what all workloads must satisfy.
#pragma once

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/backend.h"
#include "workload/checks/hazards.h"
#include "workload/checks/verify.h"
#include "workload/dispatch.h"

namespace aaco {

struct WorkloadRun {
  std::unique_ptr<Communicator> communicator;  // null: one rank
  std::vector<std::unique_ptr<Stream>> streams;
  ProgramTarget target;
  std::unique_ptr<WorkloadInstance> instance;
  std::unique_ptr<DeviceReader> reader;
  int32_t world = 1;

  // What is where an output of rank 0 is; empty where none is named so.
  std::vector<float> output(const std::string& name) const {
    for (const WorkloadOutput& output : instance->outputs) {
      if (output.name == name && output.rank == 0) {
        auto values = reader->floats(output.tensor);
        return values ? std::move(*values) : std::vector<float>();
      }
    }
    ADD_FAILURE() << "no output is named " << name;
    return {};
  }
};

inline void expect_ok(const Result<void>& result) { EXPECT_TRUE(result) << (result ? "" : result.error().message); }

// `world` more than `ranks`: emulated on one device.
inline Result<WorkloadRun> make_workload_run(const WorkloadInfo& info, int32_t streams, int32_t ranks = 1,
                                             int32_t world = 1, const std::map<std::string, std::string>& given = {}) {
  WorkloadRun run;
  WorkloadRequest request;
  for (int32_t rank = 0; rank < ranks; ++rank) {
    AACO_ASSIGN(request.devices.emplace_back(), open_device("cpu:" + std::to_string(rank)));
    for (int32_t stream = 0; stream < streams; ++stream) {
      AACO_ASSIGN(run.streams.emplace_back(), request.devices.back()->make_stream(0));
      run.target.streams.push_back(run.streams.back().get());
      run.target.devices.push_back(request.devices.back());
    }
  }
  if (world > ranks) {
    run.communicator = make_emulated_communicator(*request.devices.front(), world);
  } else if (ranks > 1) {
    run.communicator = make_cpu_communicator(ranks);
  }
  if (run.communicator != nullptr) {
    run.target.communicators = {run.communicator.get()};
  }
  run.world = std::max(ranks, world);
  request.streams = streams;
  request.communicator = run.communicator.get();
  std::map<std::string, std::string> values;
  for (const Parameter& parameter : info.test_parameters) {
    values[parameter.name] = parameter.default_value;
  }
  for (const auto& [name, value] : given) {
    values[name] = value;
  }
  AACO_ASSIGN(request.parameters, Parameters::make(info.parameters, values, info.id));
  AACO_ASSIGN(run.instance, build_workload(info, request));
  AACO_ASSIGN(run.reader, make_device_reader(*request.devices.front()));
  return run;
}

// Setup, iterations back to back, and the workload's own checks.
inline void run_and_check(WorkloadRun& run, DispatchMode mode, int64_t iterations) {
  expect_ok(run_setup(*run.instance, run.target));
  const auto dispatcher = make_dispatcher(mode, run.instance->iteration, run.target);
  ASSERT_TRUE(dispatcher) << dispatcher.error().message;
  for (int64_t i = 0; i < iterations; ++i) {
    expect_ok((*dispatcher)->enqueue());
  }
  expect_ok(synchronize(run.target));
  for (const auto& check : run.instance->checks) {
    expect_ok(check(*run.reader, iterations));
  }
}

inline void expect_no_hazards(const WorkloadRun& run) {
  for (const Hazard& hazard : find_hazards(run.instance->iteration, run.world, 3)) {
    ADD_FAILURE() << hazard.text;
  }
}

}  // namespace aaco
