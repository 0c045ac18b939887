// SPDX-License-Identifier: MIT
// What the verification sees of workloads that go wrong in ways of which the operations alone tell nothing.
#include "workload/verify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device/backend.h"
#include "workload/builder.h"

namespace aaco {
namespace {

// One number, to which each iteration adds one.
Result<void> build_counter(WorkloadBuilder& builder) {
  const Tensor value = builder.tensor(Dtype::kF32, {1});
  const Tensor one = builder.filled(Dtype::kF32, {1}, 1);
  builder.iteration().op(0, BinaryArgs{value.data, one.data, value.data, 1, 1, 1, BinaryOp::kAdd, 1, Dtype::kF32});
  builder.output("value", value);
  builder.units(1);
  return {};
}

const WorkloadInfo kCounter{.id = "counter",
                            .alias = "",
                            .priority = "P0",
                            .category = "latency_sensitive",
                            .unit = "numbers",
                            .summary = "counts",
                            .about = "counts",
                            .recommended_streams = 1,
                            .switch_sensitivity = "low",
                            .parameters = {},
                            .test_parameters = {},
                            .build = build_counter};

class Verify : public testing::Test {
 protected:
  void SetUp() override {
    WorkloadRequest request;
    request.devices = {open_device("cpu").value()};
    stream_ = request.devices.front()->make_stream(0).value();
    target_.streams = {stream_.get()};
    target_.devices = request.devices;
    instance_ = build_workload(kCounter, request).value();
  }

  // `right`: what must be there after so many iterations.
  void add_check(const std::function<float(int64_t)>& right) {
    const Tensor value = instance_->outputs.front().tensor;
    instance_->checks.push_back([=](DeviceReader& reader, int64_t iterations) -> Result<void> {
      AACO_ASSIGN(const std::vector<float> values, reader.floats(value));
      if (values.front() != right(iterations)) {
        return Error{ErrorKind::kInvalid, fmt::format("{} after {}", values.front(), iterations), ""};
      }
      return {};
    });
  }

  std::unique_ptr<Stream> stream_;
  ProgramTarget target_;
  std::unique_ptr<WorkloadInstance> instance_;
};

TEST_F(Verify, ChecksAreGivenWhatWasDispatched) {
  add_check([](int64_t iterations) { return static_cast<float>(iterations); });
  for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads, DispatchMode::kGraph}) {
    const auto verified = verify(*instance_, target_, mode, VerifyLimits());
    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_EQ(verified->iterations, 3);
  }
}

// Right after the first iteration, and never again.
TEST_F(Verify, AResultThatIsRightOnceOnlyIsWrong) {
  add_check([](int64_t) { return 1.0F; });
  for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads, DispatchMode::kGraph}) {
    const auto verified = verify(*instance_, target_, mode, VerifyLimits());
    ASSERT_FALSE(verified);
    EXPECT_EQ(verified.error().message, "3 after 3");
  }
}

}  // namespace
}  // namespace aaco
