// SPDX-License-Identifier: MIT
// Every workload at its test sizes on the CPU: no races, every operation right, the same outputs however it is
// dispatched.
#include <gtest/gtest.h>
#include <set>

#include "device/backend.h"
#include "workload/checks/hazards.h"
#include "workload/checks/verify.h"
#include "workload/workload.h"

namespace aaco {
namespace {

struct Case {
  const WorkloadInfo* info = nullptr;
  int32_t streams = 1;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.info->id) + "_" + std::to_string(info.param.streams);
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const WorkloadInfo* info : all_workloads()) {
    for (const int32_t streams : {1, 3, 8}) {
      cases.push_back({info, streams});
    }
  }
  return cases;
}

Parameters parameters_with(const WorkloadInfo& info, std::span<const Parameter> sizes) {
  std::map<std::string, std::string> given;
  for (const Parameter& parameter : sizes) {
    given[parameter.name] = parameter.default_value;
  }
  return *Parameters::make(info.parameters, given, info.id);
}

class AllWorkloads : public testing::TestWithParam<Case> {
 protected:
  // On so many CPU devices, a rank each; on one, collectives are emulated.
  void build(int32_t ranks) {
    const Case& parameters = GetParam();
    WorkloadRequest request;
    for (int32_t rank = 0; rank < ranks; ++rank) {
      auto device = open_device("cpu:" + std::to_string(rank));
      ASSERT_TRUE(device) << device.error().message;
      request.devices.push_back(*device);
    }
    communicator_ = ranks == 1 ? make_emulated_communicator(*request.devices.front(), 4) : make_cpu_communicator(ranks);
    request.streams = parameters.streams;
    request.communicator = communicator_.get();
    request.parameters = parameters_with(*parameters.info, parameters.info->test_parameters);
    auto built = build_workload(*parameters.info, request);
    ASSERT_TRUE(built) << built.error().message;
    instance_ = std::move(*built);
    for (Device* device : request.devices) {
      for (int32_t i = 0; i < parameters.streams; ++i) {
        streams_.push_back(std::move(device->make_stream(0)).value());
        target_.streams.push_back(streams_.back().get());
        target_.devices.push_back(device);
      }
    }
    target_.communicators = {communicator_.get()};
  }

  void verify_as(DispatchMode mode) {
    const auto verification = verify(*instance_, target_, mode, VerifyLimits());
    ASSERT_TRUE(verification) << verification.error().message;
    EXPECT_EQ(verification->checked, verification->operations);
    EXPECT_GT(verification->operations, 0);
    EXPECT_GT(verification->outputs, 0);
    EXPECT_EQ(verification->iterations, 3);
  }

  // Several iterations back to back, and what the workload itself says of them.
  void iterate(DispatchMode mode, int64_t iterations) {
    ASSERT_TRUE(run_setup(*instance_, target_));
    const auto dispatcher = make_dispatcher(mode, instance_->iteration, target_);
    ASSERT_TRUE(dispatcher) << dispatcher.error().message;
    for (int64_t i = 0; i < iterations; ++i) {
      ASSERT_TRUE((*dispatcher)->enqueue());
    }
    const Result<void> done = synchronize(target_);
    ASSERT_TRUE(done) << done.error().message;
    const auto reader = make_device_reader(*target_.devices.front());
    for (const auto& check : instance_->checks) {
      const Result<void> right = check(**reader, iterations);
      EXPECT_TRUE(right) << right.error().message;
    }
  }

  std::unique_ptr<Communicator> communicator_;
  std::unique_ptr<WorkloadInstance> instance_;
  std::vector<std::unique_ptr<Stream>> streams_;
  ProgramTarget target_;
};

TEST_P(AllWorkloads, IsRightAndFreeOfRaces) {
  ASSERT_NO_FATAL_FAILURE(build(1));
  for (const Hazard& hazard : find_hazards(instance_->iteration, communicator_->info().ranks)) {
    ADD_FAILURE() << hazard.text;
  }
  EXPECT_TRUE(instance_->units > 0 || instance_->unit_counter);
  EXPECT_GT(instance_->iteration.flops(), 0);
  verify_as(DispatchMode::kSingle);
  iterate(DispatchMode::kThreads, 3);
  if (instance_->iteration.host_steps().empty()) {
    verify_as(DispatchMode::kGraph);
    iterate(DispatchMode::kGraph, 3);
  }
}

TEST_P(AllWorkloads, IsRightOnTwoRanks) {
  ASSERT_NO_FATAL_FAILURE(build(2));
  for (const Hazard& hazard : find_hazards(instance_->iteration, 2)) {
    ADD_FAILURE() << hazard.text;
  }
  verify_as(DispatchMode::kThreads);
}

// What setup leaves is no right result: a check that accepts it would accept a device that does nothing.
TEST_P(AllWorkloads, SetupAloneIsNoResult) {
  ASSERT_NO_FATAL_FAILURE(build(1));
  ASSERT_TRUE(run_setup(*instance_, target_));
  const auto reader = make_device_reader(*target_.devices.front());
  bool refused = false;
  for (const auto& check : instance_->checks) {
    const Result<void> right = check(**reader, 1);
    refused = refused || (!right && right.error().kind == ErrorKind::kInvalid);
  }
  EXPECT_TRUE(refused) << "none of " << instance_->checks.size() << " checks";
}

INSTANTIATE_TEST_SUITE_P(On, AllWorkloads, testing::ValuesIn(all_cases()), name_of);

// A command of `aaco queue` does some thousand iterations: what one may cost so that it ends within a minute.
TEST(WorkloadSizes, OnACpuAnIterationIsSmallAndNotTrivial) {
  for (const WorkloadInfo* info : all_workloads()) {
    for (const int32_t streams : {1, 8, 16}) {
      auto device = open_device("cpu:0");
      ASSERT_TRUE(device) << device.error().message;
      const auto communicator = make_emulated_communicator(**device, info->emulated_ranks);
      WorkloadRequest request;
      request.devices = {*device};
      request.streams = streams;
      request.communicator = communicator.get();
      request.parameters = parameters_with(*info, info->cpu_parameters);
      const auto built = build_workload(*info, request);
      ASSERT_TRUE(built) << info->id << ": " << built.error().message;
      const Program& iteration = (*built)->iteration;
      EXPECT_LT(iteration.flops(), 1.2e9) << info->id << " " << streams;
      EXPECT_LT(iteration.ideal_bytes(), 300e6) << info->id << " " << streams;
      EXPECT_LT(iteration.kernels(), 10'000) << info->id << " " << streams;
      EXPECT_GT(iteration.kernels(), 0) << info->id;
      EXPECT_LT((*device)->memory_use().allocated_bytes, int64_t{1} << 30) << info->id;
    }
  }
}

TEST(WorkloadList, SixteenWithNamesAndPrioritiesOfTheirOwn) {
  std::set<std::string> names;
  for (const WorkloadInfo* info : all_workloads()) {
    names.insert(info->id);
    EXPECT_TRUE(std::string(info->priority) >= "P0" && std::string(info->priority) <= "P3") << info->id;
    EXPECT_FALSE(std::string(info->about).empty());
  }
  EXPECT_EQ(names.size(), 16U);
  EXPECT_EQ(*find_workload("torch_compile"), *find_workload("multi_region"));
  EXPECT_EQ(find_workload("hetero").error().hint, "did you mean hetero_kernels? aaco queue list shows all");
  EXPECT_EQ(find_workload("hetero_kernel").error().hint, "did you mean hetero_kernels? aaco queue list shows all");
}

}  // namespace
}  // namespace aaco
