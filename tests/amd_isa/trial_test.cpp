// SPDX-License-Identifier: MIT
// Whole kernels: right ones give the right result, wrong ones the right words.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "fixture/trial_object.h"
#include "half.h"
#include "machine.h"

namespace aaco::amd {
namespace {

using testing::HasSubstr;

class TrialTest : public testing::TestWithParam<const char*> {
 protected:
  RunResult run(const std::string& name, std::uint32_t blocks, std::uint32_t threads, TrialArguments& arguments,
                const RunOptions& options = {}) {
    const KernelCode kernel = object_.kernel(name);
    EXPECT_NE(kernel.entry, 0U) << name;
    Geometry geometry;
    geometry.grid_blocks = {blocks, 1, 1};
    geometry.block = {threads, 1, 1};
    return run_kernel(kernel, geometry, arguments.bytes(), memory_, options);
  }

  template <class T>
  std::vector<T> device(std::size_t count) {
    std::vector<T> values(count);
    memory_.add(values.data(), count * sizeof(T));
    return values;
  }

  bool waves_of_64() const { return std::string(GetParam()) == "gfx942"; }

  TrialObject object_{GetParam()};
  Memory memory_;
};

TEST_P(TrialTest, FillsUpToTheCountAndNoFurther) {
  auto out = device<float>(300);
  TrialArguments arguments;
  arguments.add(out.data()).add(2.5F).add(290U);
  const RunResult result = run("fill", 3, 128, arguments);
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(out[0], 2.5F);
  EXPECT_EQ(out[289], 2.5F);
  EXPECT_EQ(out[290], 0.0F);
  EXPECT_GT(result.counts.valu, 0U);
  EXPECT_GT(result.counts.memory, 0U);
  EXPECT_GT(result.counts.lane_instructions, 290U);
}

TEST_P(TrialTest, DividesAndTakesRoots) {
  std::vector<float> a = {1, 2, 10, 1e38F, 3e-39F, 7, 0, 1e-30F, 5e37F};
  std::vector<float> b = {3, 7, 0.1F, 1e-3F, 3e38F, -3e-39F, 5, 1e30F, 2e38F};
  auto out = device<float>(a.size());
  memory_.add(a.data(), a.size() * sizeof(float));
  memory_.add(b.data(), b.size() * sizeof(float));
  TrialArguments arguments;
  arguments.add(out.data()).add(a.data()).add(b.data()).add(static_cast<unsigned>(a.size()));
  ASSERT_EQ(run("quotient", 1, 128, arguments).error, "");
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_FLOAT_EQ(out[i], a[i] / b[i] + std::sqrt(a[i])) << a[i] << " / " << b[i];
  }
}

TEST_P(TrialTest, DividesDoubles) {
  std::vector<double> a = {1, 2, 10, 1e308, 3e-310, 7, 0, 1e-300};
  std::vector<double> b = {3, 7, 0.1, 1e-3, 3e300, -3e-310, 5, 1e300};
  auto out = device<double>(a.size());
  memory_.add(a.data(), a.size() * sizeof(double));
  memory_.add(b.data(), b.size() * sizeof(double));
  TrialArguments arguments;
  arguments.add(out.data()).add(a.data()).add(b.data()).add(static_cast<unsigned>(a.size()));
  ASSERT_EQ(run("double_quotient", 1, 128, arguments).error, "");
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(out[i], a[i] / b[i]) << a[i] << " / " << b[i];
  }
}

TEST_P(TrialTest, AddsHalves) {
  std::vector<std::uint16_t> a = {to_half(1.5), to_half(1000), to_half(6e-8), to_half(65504)};
  std::vector<std::uint16_t> b = {to_half(0.25), to_half(0.3), to_half(6e-8), to_half(65504)};
  auto out = device<std::uint16_t>(a.size());
  memory_.add(a.data(), a.size() * 2);
  memory_.add(b.data(), b.size() * 2);
  TrialArguments arguments;
  arguments.add(out.data()).add(a.data()).add(b.data()).add(static_cast<unsigned>(a.size()));
  ASSERT_EQ(run("half_sum", 1, 128, arguments).error, "");
  EXPECT_THAT(out, testing::ElementsAre(to_half(1.75), 0x63d1, 2, 0x7c00));
}

TEST_P(TrialTest, AddsUpInLdsForEverySeed) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    auto in = device<float>(512);
    std::iota(in.begin(), in.end(), 1.0F);
    auto out = device<float>(4);
    TrialArguments arguments;
    arguments.add(out.data()).add(in.data());
    RunOptions options;
    options.seed = seed;
    ASSERT_EQ(run("block_sum", 4, 128, arguments, options).error, "") << seed;
    EXPECT_THAT(out, testing::ElementsAre(8256, 24640, 41024, 57408));
  }
}

TEST_P(TrialTest, CountsWithAtomicOperations) {
  auto in = device<unsigned>(1000);
  std::iota(in.begin(), in.end(), 0U);
  auto out = device<unsigned>(16);
  TrialArguments arguments;
  arguments.add(out.data()).add(in.data()).add(1000U);
  ASSERT_EQ(run("histogram", 8, 128, arguments).error, "");
  for (unsigned bin = 0; bin < 16; ++bin) {
    EXPECT_EQ(out[bin], bin < 8 ? 63U : 62U) << bin;
  }
}

TEST_P(TrialTest, AtomicOperationsOrderBlocks) {
  auto out = device<float>(1);
  auto parts = device<float>(6);
  auto arrived = device<unsigned>(1);
  TrialArguments arguments;
  arguments.add(out.data()).add(parts.data()).add(arrived.data()).add(6U);
  ASSERT_EQ(run("last_block", 6, 128, arguments).error, "");
  EXPECT_EQ(out[0], 21.0F);
}

TEST_P(TrialTest, KeepsArraysInScratch) {
  auto order = device<int>(64);
  for (std::size_t i = 0; i < 64; ++i) {
    order[i] = static_cast<int>(i * 77 % 300);
  }
  auto out = device<int>(64);
  TrialArguments arguments;
  arguments.add(out.data()).add(order.data());
  const RunResult result = run("in_scratch", 1, 64, arguments);
  ASSERT_EQ(result.error, "");
  EXPECT_GT(result.counts.scratch, 0U);
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(out[i], order[i] * order[i] + static_cast<int>(i));
  }
}

TEST_P(TrialTest, AMissingBarrierIsARace) {
  auto in = device<float>(128);
  auto out = device<float>(1);
  TrialArguments arguments;
  arguments.add(out.data()).add(in.data());
  const RunResult result = run("sum_without_barrier", 1, 128, arguments);
  EXPECT_THAT(result.error, HasSubstr("kernel sum_without_barrier (" + std::string(GetParam()) + ") at 0x"));
  EXPECT_THAT(result.error, HasSubstr("race: this"));
  EXPECT_THAT(result.error, HasSubstr("of LDS at"));
  RunOptions options;
  options.find_races = false;
  EXPECT_EQ(run("sum_without_barrier", 1, 128, arguments, options).error, "");
}

TEST_P(TrialTest, TwoWavesThatWriteOnePlaceAreARace) {
  auto out = device<unsigned>(1);
  TrialArguments arguments;
  arguments.add(out.data());
  EXPECT_THAT(run("all_write_one", 1, 128, arguments).error, HasSubstr("race: this write of global memory at"));
  EXPECT_THAT(run("all_write_one", 2, 32, arguments).error, HasSubstr("race: this write of global memory at"));
  EXPECT_EQ(run("all_write_one", 1, waves_of_64() ? 64 : 32, arguments).error, "");
}

TEST_P(TrialTest, ReadingWhatAnotherBlockWritesIsARace) {
  auto out = device<unsigned>(2);
  auto parts = device<unsigned>(2);
  TrialArguments arguments;
  arguments.add(out.data()).add(parts.data());
  EXPECT_THAT(run("read_other_block", 2, 32, arguments).error, HasSubstr("race: this"));
}

// Each of these is wrong in whatever order its blocks and waves run.
constexpr std::uint64_t kOrders = 12;

TEST_P(TrialTest, WhatIsDoneBehindTheAtomicThatPublishesItIsARace) {
  for (std::uint64_t seed = 0; seed < kOrders; ++seed) {
    RunOptions options;
    options.seed = seed;
    auto out = device<float>(1);
    auto parts = device<float>(4);
    auto arrived = device<unsigned>(1);
    TrialArguments of_blocks;
    of_blocks.add(out.data()).add(parts.data()).add(arrived.data()).add(4U);
    EXPECT_THAT(run("written_behind", 4, 64, of_blocks, options).error, HasSubstr("race: this read of global")) << seed;
    arrived[0] = 0;
    TrialArguments of_reader;
    of_reader.add(out.data()).add(parts.data()).add(arrived.data());
    EXPECT_THAT(run("read_behind", 2, 64, of_reader, options).error, HasSubstr("race: this")) << seed;
    TrialArguments of_waves;
    of_waves.add(out.data());
    EXPECT_THAT(run("written_behind_in_lds", 1, 128, of_waves, options).error, HasSubstr("race: this")) << seed;
  }
}

TEST_P(TrialTest, AWriteIsHeldAgainstEveryReader) {
  for (std::uint64_t seed = 0; seed < kOrders; ++seed) {
    RunOptions options;
    options.seed = seed;
    auto out = device<float>(3);
    auto value = device<float>(1);
    auto read = device<unsigned>(1);
    TrialArguments of_blocks;
    of_blocks.add(out.data()).add(value.data()).add(read.data());
    EXPECT_THAT(run("write_behind_one_reader", 3, 64, of_blocks, options).error, HasSubstr("race: this")) << seed;
    TrialArguments of_waves;
    of_waves.add(out.data());
    EXPECT_THAT(run("write_behind_one_reader_in_lds", 1, 192, of_waves, options).error, HasSubstr("race: this"))
        << seed;
  }
}

TEST_P(TrialTest, AStoreThatIsNotWaitedForIsNotPassedOn) {
  for (std::uint64_t seed = 0; seed < kOrders; ++seed) {
    RunOptions options;
    options.seed = seed;
    auto out = device<float>(1);
    auto parts = device<float>(4);
    auto arrived = device<unsigned>(1);
    TrialArguments of_blocks;
    of_blocks.add(out.data()).add(parts.data()).add(arrived.data()).add(4U);
    EXPECT_THAT(run("store_not_waited_for", 4, 64, of_blocks, options).error, HasSubstr("race: this read of global"))
        << seed;
    arrived[0] = 0;
    TrialArguments of_waves;
    of_waves.add(out.data()).add(arrived.data());
    EXPECT_THAT(run("lds_store_not_waited_for", 1, 128, of_waves, options).error, HasSubstr("race: this read of LDS"))
        << seed;
    TrialArguments at_barrier;
    at_barrier.add(out.data()).add(parts.data());
    const std::string error = run("store_not_waited_for_at_barrier", 1, 128, at_barrier, options).error;
    if (waves_of_64()) {
      EXPECT_EQ(error, "") << seed;
    } else {
      EXPECT_THAT(error, HasSubstr("race: this read of global")) << seed;
    }
  }
}

// 64 threads are one wave on gfx942 and two on gfx1100, where lane numbers count modulo 32.
TEST_P(TrialTest, AnAssumptionOfTheWavesWidthGivesAnotherResult) {
  auto out = device<unsigned>(64);
  TrialArguments arguments;
  arguments.add(out.data());
  ASSERT_EQ(run("upper_half", 1, 64, arguments).error, "");
  EXPECT_EQ(out[0], waves_of_64() ? 32U : 0U);
  EXPECT_EQ(out[40], waves_of_64() ? 8U : 40U);
}

TEST_P(TrialTest, AWriteBehindAnAllocationIsAnError) {
  auto out = device<float>(64);
  TrialArguments arguments;
  arguments.add(out.data()).add(1U);
  EXPECT_THAT(run("past_the_end", 1, 64, arguments).error, HasSubstr("write of 4 bytes at 0x"));
  EXPECT_THAT(run("past_the_end", 1, 64, arguments).error, HasSubstr("outside of what is allocated"));
}

TEST_P(TrialTest, AnEndlessLoopIsAnError) {
  auto out = device<unsigned>(1);
  TrialArguments arguments;
  arguments.add(out.data());
  RunOptions options;
  options.max_instructions = 1000;
  EXPECT_THAT(run("endless", 1, 32, arguments, options).error, HasSubstr("more than 1000 instructions"));
}

TEST_P(TrialTest, SaysWhatCannotBeLaunched) {
  auto out = device<float>(64);
  TrialArguments arguments;
  arguments.add(out.data()).add(1.0F).add(1U);
  EXPECT_THAT(run("fill", 1, 2048, arguments).error, HasSubstr("a block of 2048 threads"));
  KernelCode kernel = object_.kernel("fill");
  EXPECT_THAT(run_kernel(kernel, {}, {}, memory_).error, HasSubstr("0 bytes of arguments where the kernel reads"));
  kernel.architecture = "gfx90a";
  EXPECT_THAT(run_kernel(kernel, {}, {}, memory_).error, HasSubstr("neither gfx942 nor gfx1100"));
}

INSTANTIATE_TEST_SUITE_P(, TrialTest, testing::Values("gfx942", "gfx1100"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace aaco::amd
