// SPDX-License-Identifier: MIT
// What the verification sees of workloads that go wrong in ways of which the operations alone tell nothing.
#include "workload/checks/verify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device/backend.h"
#include "workload/builder.h"

namespace aaco {
namespace {

// One number, to which each iteration adds one.
Result<void> build_counter(WorkloadBuilder& builder) {
  const Tensor value = builder.tensor(Dtype::kF32, {1});
  const Tensor tensor = builder.filled(Dtype::kF32, {1}, 1);
  builder.iteration().op(0, BinaryArgs{value.data, tensor.data, value.data, 1, 1, 1, BinaryOp::kAdd, 1, Dtype::kF32});
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

// A product for each of four places of a batch, of 6 rows by 5 columns from 7.
class BatchedProduct : public testing::Test {
 protected:
  Result<std::optional<ShadowOp>> shadow(const ShadowLimits& limits) {
    return ShadowOp::make(OpId::kGemm, &args_, limits, 3, *reader_);
  }
  double flops() const { return work_of(OpId::kGemm, &args_).flops; }

  std::vector<float> a_ = std::vector<float>(4 * 6 * 7, 1.5F);
  std::vector<float> b_ = std::vector<float>(4 * 5 * 7, 2.0F);
  std::vector<float> c_ = std::vector<float>(4 * 6 * 5, 0.0F);
  GemmArgs args_ = [this] {
    GemmArgs args;
    args.a = a_.data();
    args.b = b_.data();
    args.c = c_.data();
    args.m = 6;
    args.n = 5;
    args.k = 7;
    args.lda = 7;
    args.ldb = 5;
    args.ldc = 5;
    args.batch = 4;
    args.stride_a = 42;
    args.stride_b = 35;
    args.stride_c = 30;
    return args;
  }();
  std::unique_ptr<DeviceReader> reader_ = make_device_reader(*open_device("cpu").value()).value();
};

TEST_F(BatchedProduct, InPartIsThatOfItsFirstPlaces) {
  for (const double share : {1.0, 0.5, 0.25, 0.1}) {
    std::fill(c_.begin(), c_.end(), 0.0F);
    auto shadowed = shadow({.whole_flops = flops() * share});
    ASSERT_TRUE(shadowed && *shadowed);
    EXPECT_EQ((*shadowed)->in_part(), share < 1);
    run_on_cpu(OpId::kGemm, &args_);  // all of it, as a device does
    (*shadowed)->run_on_host();
    EXPECT_EQ((*shadowed)->compare(*reader_)->error, 0) << share;
    c_.front() += 1;
    EXPECT_EQ((*shadowed)->compare(*reader_)->error > 1, share >= 0.25) << "of less, a band of rows elsewhere";
  }
}

TEST_F(BatchedProduct, BeyondTheLimitsIsNotShadowed) {
  EXPECT_TRUE(*shadow({.most_flops = flops()}));
  EXPECT_FALSE(*shadow({.most_flops = flops() - 1}));
  EXPECT_FALSE(*shadow({.most_bytes = 100}));
}

// Of operations that differ in their arrays alone, one is enough.
TEST_F(Verify, EachShapeOnce) {
  const auto all = verify(*instance_, target_, DispatchMode::kSingle, VerifyLimits());
  EXPECT_EQ(all->checked, 1);
  Program& step = instance_->iteration;
  const Tensor value = instance_->outputs.front().tensor;
  for (const int64_t elements : {1, 1}) {
    step.op(0, BinaryArgs{value.data, value.data, value.data, elements, elements, 1, BinaryOp::kMul, 1, Dtype::kF32});
  }
  EXPECT_EQ(verify(*instance_, target_, DispatchMode::kSingle, VerifyLimits())->checked, 3);
  EXPECT_EQ(verify(*instance_, target_, DispatchMode::kSingle, {.host = {}, .each_shape_once = true})->checked, 2);
}

}  // namespace
}  // namespace aaco
