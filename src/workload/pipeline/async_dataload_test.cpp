// SPDX-License-Identifier: MIT
#include <cstring>

#include "workload/checks/workload_run.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

// Two batches of 3 images [3, 16, 16]; 4, 8, 16 channels; 10 classes. A part: the images' kernel, three convolutions,
// three poolings, a product.
TEST(AsyncDataloadTest, PartsOfABatchGetStreams) {
  struct Case {
    int32_t streams, used, parts;  // NOLINT(readability-isolate-declaration): a row of the table
  };
  // A batch has half of the streams: one copies, each other one has a part, at most one for each of 3 images.
  for (const Case& each :
       {Case{1, 1, 2}, Case{2, 2, 2}, Case{3, 3, 2}, Case{8, 8, 6}, Case{33, 8, 6}, Case{128, 8, 6}}) {
    auto run = make_workload_run(workloads::async_dataload, each.streams);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->instance->iteration.used_streams(), each.used) << each.streams;
    EXPECT_EQ(run->instance->iteration.kernels(), each.parts * 8) << each.streams;
    EXPECT_EQ(run->instance->units, 6);
    expect_no_hazards(*run);
  }
}

// Convolutions and the product count 2 for each multiply-add; a convolution counts those with the zeros around the
// image or without them: at most (3 size)^2 taps of a plane, at least (3 size - 2)^2.
TEST(AsyncDataloadTest, CountsTheNetworksWork) {
  auto run = make_workload_run(workloads::async_dataload, 8);
  ASSERT_TRUE(run) << run.error().message;
  double least = 0;
  double most = 0;
  for (const auto& [in, out, size] : {std::array{3, 4, 16}, std::array{4, 8, 8}, std::array{8, 16, 4}}) {
    least += 2.0 * in * out * (3 * size - 2) * (3 * size - 2);
    most += 2.0 * in * out * 9 * size * size;
  }
  double counted = 0;
  for (const Command& command : run->instance->iteration.commands()) {
    if (command.kind == CommandKind::kOp && (command.op == OpId::kConv || command.op == OpId::kGemm)) {
      counted += work_of(command.op, command.to).flops;
    }
  }
  EXPECT_GE(counted, 6 * (least + 2.0 * 16 * 10));
  EXPECT_LE(counted, 6 * (most + 2.0 * 16 * 10) * 1.05);  // biases and ReLUs
}

TEST(AsyncDataloadTest, GivesTheSameHoweverItIsDispatched) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads, DispatchMode::kGraph}) {
      auto run = make_workload_run(workloads::async_dataload, streams);
      ASSERT_TRUE(run) << run.error().message;
      run_and_check(*run, mode, 3);
    }
  }
}

TEST(AsyncDataloadTest, WorksInEveryPrecision) {
  for (const char* dtype : {"tf32", "bf16", "fp16"}) {
    auto run = make_workload_run(workloads::async_dataload, 5, 1, 1, {{"dtype", dtype}});
    ASSERT_TRUE(run) << run.error().message;
    run_and_check(*run, DispatchMode::kSingle, 2);
  }
}

// Each copy of the iteration brings what is not there yet.
TEST(AsyncDataloadTest, SetupLeavesTheImagesOnTheHostAlone) {
  auto run = make_workload_run(workloads::async_dataload, 4);
  ASSERT_TRUE(run) << run.error().message;
  expect_ok(run_setup(*run->instance, run->target));
  int copies = 0;
  for (const Command& command : run->instance->iteration.commands()) {
    if (command.kind == CommandKind::kCopy && command.bytes > 3) {  // images, not how 3 are mirrored
      ++copies;
      EXPECT_NE(std::memcmp(command.to, command.from, command.bytes), 0);
    }
  }
  EXPECT_EQ(copies, 2);
}

TEST(AsyncDataloadTest, TheCheckSeesAWrongResult) {
  auto run = make_workload_run(workloads::async_dataload, 4);
  ASSERT_TRUE(run) << run.error().message;
  run_and_check(*run, DispatchMode::kSingle, 1);
  run->instance->outputs.back().tensor.as<float>()[3] += 1;
  const auto checked = run->instance->checks.front()(*run->reader, 1);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::kInvalid);
}

}  // namespace

}  // namespace aaco
