// SPDX-License-Identifier: MIT
// Kernels as machine code through the HIP module's host path: what is wrong must show, on each architecture.
// scripts/amd_code runs everything that is right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "child.h"
#include "device/check/check_op.h"

namespace aaco {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class HipCode : public ::testing::TestWithParam<const char*> {
 protected:
  static Environment with(Environment more) {
    more["AACO_HIP_DOUBLE_ARCH"] = GetParam();
    more["AACO_HIP_DOUBLE_RUN"] = "code";
    return more;
  }
};
INSTANTIATE_TEST_SUITE_P(Module, HipCode, ::testing::Values("gfx942", "gfx1100"),
                         [](const auto& instance) { return std::string(instance.param); });

// The first thing that is wrong with an operation's cases.
std::string first_wrong(const Environment& environment, OpId op) {
  return in_child_with_device(environment, [op](Device& device) -> Result<void> {
    for (const OpCase& op_case : all_op_cases()) {
      if (op_case.op == op) {
        AACO_ASSIGN(const CaseResult result, check_case(device, op_case, 1));
        if (!result.passed()) {
          return wrong(op_case.name + ": " + result.failure);
        }
      }
    }
    return {};
  });
}

TEST_P(HipCode, AWrongHiddenArgumentShows) {
  EXPECT_EQ(first_wrong(with({}), OpId::kUnary), "");
  // Blocks of another size leave elements out, or write what others write; with fewer blocks two write the same.
  for (const char* planted : {"hidden_group_size_x:128", "hidden_group_size_x:512", "hidden_block_count_x:1"}) {
    EXPECT_NE(first_wrong(with({{"AACO_HIP_DOUBLE_HIDDEN", planted}}), OpId::kUnary), "") << planted;
  }
}

std::string fill_beyond(const Environment& environment, int64_t n) {
  return in_child_with_device(environment, [n](Device& device) -> Result<void> {
    AACO_ASSIGN(const auto memory, device.allocate(4096, MemoryKind::kDevice));
    AACO_ASSIGN(const auto stream, device.make_stream(0));
    stream->launch(FillArgs{.out = memory->data(), .n = n, .value = 7});
    AACO_TRY(stream->synchronize());
    return static_cast<float*>(memory->data())[1023] == 7 ? Result<void>{} : wrong("not filled");
  });
}

TEST_P(HipCode, AKernelStaysWithinWhatWasAllocated) {
  EXPECT_EQ(fill_beyond(with({}), 1024), "");
  EXPECT_THAT(fill_beyond(with({}), 1025), StartsWith("6 hipStreamSynchronize: hipErrorIllegalAddress"));
}

// The memory of another device is out of a kernel's reach until that was asked for.
TEST_P(HipCode, AKernelReachesPeersOnlyWhereThatIsEnabled) {
  for (const bool enabled : {false, true}) {
    const std::string said = in_child_with_backend(with({}), [&](ModuleBackend& backend) -> Result<void> {
      AACO_ASSIGN(Device * near, backend.open(0));
      AACO_ASSIGN(Device * far, backend.open(1));
      if (enabled) {
        AACO_TRY(near->enable_peer(*far));
      }
      AACO_ASSIGN(const auto memory, far->allocate(256, MemoryKind::kDevice));
      AACO_ASSIGN(const auto stream, near->make_stream(0));
      stream->launch(FillArgs{.out = memory->data(), .n = 64, .value = 7});
      AACO_TRY(stream->synchronize());
      return static_cast<float*>(memory->data())[63] == 7 ? Result<void>{} : wrong("not filled");
    });
    EXPECT_THAT(said, StartsWith(enabled ? "" : "6 hipStreamSynchronize: hipErrorIllegalAddress"));
    EXPECT_EQ(said.empty(), enabled) << said;
  }
}

TEST_P(HipCode, AFailureOfAKernelShowsLater) {
  const auto said = fill_beyond(with({{"AACO_HIP_DOUBLE_FAIL", "kernel:719:1"}}), 1024);
  EXPECT_THAT(said, HasSubstr("hipErrorLaunchFailure"));
}

TEST(HipCodeOfOthers, AnArchitectureWithoutCodeIsNamed) {
  const auto said = fill_beyond({{"AACO_HIP_DOUBLE_ARCH", "gfx1201"}, {"AACO_HIP_DOUBLE_RUN", "code"}}, 1024);
  EXPECT_THAT(said, HasSubstr("hipErrorNoBinaryForGpu"));
}

}  // namespace
}  // namespace aaco
