// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

TEST(ProbeOnCpu, ASpinTakesItsTimeAndStampsIt) {
  SpinStamp stamp = kUnwrittenStamp;
  const int64_t before_ns = monotonic_ns();
  run_on_cpu(SpinArgs{&stamp, 2'000'000, 1});
  const int64_t after_ns = monotonic_ns();
  EXPECT_GE(stamp.start_ns, static_cast<uint64_t>(before_ns));
  EXPECT_LE(stamp.end_ns, static_cast<uint64_t>(after_ns));
  EXPECT_GE(stamp.end_ns - stamp.start_ns, 2'000'000U);
}

TEST(ProbeOnCpu, TheFirstStartAndTheLastEndStay) {
  SpinStamp stamp{5, ~uint64_t{0}, 0, 0, 0};
  run_on_cpu(SpinArgs{&stamp, 0, 1});
  EXPECT_EQ(stamp.start_ns, 5U);
  EXPECT_EQ(stamp.end_ns, ~uint64_t{0});
}

// Each call is one block.
TEST(ProbeOnCpu, BlocksAndTheirTimesAreSummed) {
  SpinStamp stamp = kUnwrittenStamp;
  for (int block = 0; block < 3; ++block) {
    run_on_cpu(SpinArgs{&stamp, 1'000'000, 1});
  }
  EXPECT_EQ(stamp.blocks, 3U);
  const uint64_t busy_ns = stamp.end_sum_ns - stamp.start_sum_ns;
  EXPECT_GE(busy_ns, 3'000'000U);
  EXPECT_LE(busy_ns, stamp.end_ns - stamp.start_ns);
  // The second and the third began at least one and two lengths after the first.
  EXPECT_GE(stamp.start_sum_ns - 3 * stamp.start_ns, 3'000'000U);
  EXPECT_GE(3 * stamp.end_ns - stamp.end_sum_ns, 3'000'000U);
}

// blocks 0 fills the device: of two such, one begins when the other has ended.
TEST(ProbeOnCpu, SpinsThatFillTheDeviceDoNotOverlap) {
  std::vector<SpinStamp> stamps(4, kUnwrittenStamp);
  {
    std::vector<std::jthread> threads;
    for (SpinStamp& stamp : stamps) {
      threads.emplace_back([&] { run_on_cpu(SpinArgs{&stamp, 3'000'000, 0}); });
    }
  }
  for (const SpinStamp& spin_stamp : stamps) {
    for (const SpinStamp& other : stamps) {
      EXPECT_TRUE(&spin_stamp == &other || spin_stamp.end_ns <= other.start_ns || other.end_ns <= spin_stamp.start_ns);
    }
  }
}

TEST(ProbeOnCpu, AGateOpensAtItsValueOrTimesOut) {
  uint32_t flag = 1;
  uint32_t timed_out = 0;
  run_on_cpu(GateArgs{&flag, &timed_out, 2, 1'000'000});
  EXPECT_EQ(timed_out, 1U);
  timed_out = 0;
  run_on_cpu(GateArgs{&flag, &timed_out, 1, 1'000'000});
  EXPECT_EQ(timed_out, 0U);
  std::jthread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic_ref<uint32_t>(flag).store(2);
  });
  run_on_cpu(GateArgs{&flag, &timed_out, 2, 60'000'000'000});
  EXPECT_EQ(timed_out, 0U);
}

TEST(ProbeOnCpu, TheirWork) {
  SpinStamp stamp;
  uint32_t flag = 0;
  EXPECT_TRUE(work_of(NullArgs{}).arrays.empty());
  EXPECT_TRUE(work_of(SpinArgs{}).arrays.empty());
  const OpWork spin = work_of(SpinArgs{&stamp, 1, 1});
  ASSERT_EQ(spin.arrays.size(), 1U);
  EXPECT_EQ(spin.arrays[0].bytes, 40);
  EXPECT_EQ(spin.arrays[0].access, Access::kReadWrite);
  const OpWork gate = work_of(GateArgs{&flag, &flag, 1, 1});
  ASSERT_EQ(gate.arrays.size(), 2U);
  EXPECT_EQ(gate.arrays[0].access, Access::kRead);
  EXPECT_EQ(gate.arrays[1].bytes, 4);
  EXPECT_EQ(gate.flops, 0);
}

}  // namespace

}  // namespace aaco
