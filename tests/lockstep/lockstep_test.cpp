// SPDX-License-Identifier: MIT
// What kernels compute in lockstep, with answers known beforehand, and that each way to break its rules is told.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "device/gpu/lockstep/library.h"
#include "trial_kernels.h"

namespace aaco::gpu::lockstep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Library& library_of(int lanes) {
  void* handle = dlopen(lanes == 32 ? LOCKSTEP_TRIAL_32 : LOCKSTEP_TRIAL_64, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle, nullptr) << dlerror();
  return *reinterpret_cast<LibraryEntry>(dlsym(handle, kLibraryEntry))();
}

class Lockstep : public ::testing::TestWithParam<std::tuple<int, Order>> {
 protected:
  Lockstep() : lanes_(std::get<0>(GetParam())), library_(library_of(lanes_)) {
    library_.set_order(std::get<1>(GetParam()));
  }

  // `function` is the kernel's mangled name without what encloses it.
  std::string run(const std::string& function, const LaunchShape& shape) {
    const std::string name = "_ZN4aaco3gpu12_GLOBAL__N_1" + function;
    const Kernel* kernel = library_.find(name.c_str());
    return kernel != nullptr ? library_.run(*kernel, limits_, shape, &args_) : "no kernel " + name;
  }
  std::string run(const std::string& function, uint32_t block) { return run(function, {{1, 1, 1}, block, 0}); }

  void numbers(size_t in, size_t out) {
    in_.resize(in);
    std::iota(in_.begin(), in_.end(), 1.0F);
    out_.assign(out, -1);
    args_.in = in_.data();
    args_.out = out_.data();
    args_.n = static_cast<int64_t>(in);
  }

  uint32_t wave() const { return static_cast<uint32_t>(lanes_); }
  bool descending() const { return std::get<1>(GetParam()) == Order::kDescending; }

  int lanes_;
  const Library& library_;
  DeviceLimits limits_;
  TrialArgs args_;
  std::vector<float> in_;
  std::vector<float> out_;
};

std::string name_of(const ::testing::TestParamInfo<std::tuple<int, Order>>& info) {
  return std::to_string(std::get<0>(info.param)) + (std::get<1>(info.param) == Order::kAscending ? "up" : "down");
}
INSTANTIATE_TEST_SUITE_P(Width, Lockstep,
                         ::testing::Combine(::testing::Values(32, 64),
                                            ::testing::Values(Order::kAscending, Order::kDescending)),
                         name_of);

TEST_P(Lockstep, HasTheLanesItWasBuiltFor) { EXPECT_EQ(library_.lanes, lanes_); }

TEST_P(Lockstep, ReducesAWave) {
  numbers(128, 4);
  EXPECT_THAT(run("14wave_reductionENS_9TrialArgsE", 128), IsEmpty());
  // 1 + ... + n is n (n + 1) / 2.
  if (lanes_ == 32) {
    EXPECT_THAT(out_, ElementsAre(528, 2080 - 528, 4656 - 2080, 8256 - 4656));
  } else {
    EXPECT_THAT(out_, ElementsAre(2080, 8256 - 2080, -1, -1));
  }
}

TEST_P(Lockstep, ReducesBlocks) {
  numbers(1000, 8);
  EXPECT_THAT(run("15block_reductionENS_9TrialArgsE", {{4, 1, 1}, 256, 0}), IsEmpty());
  // Sums of 1..256, 257..512, 513..768, 769..1000, and the last of each.
  EXPECT_THAT(out_, ElementsAre(32896, 256, 98432, 512, 163968, 768, 205204, 1000));
}

TEST_P(Lockstep, TransposesThroughShuffles) {
  const size_t n = wave();
  numbers(n * n, n * n);
  EXPECT_THAT(run("17shuffle_transposeENS_9TrialArgsE", wave()), IsEmpty());
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      ASSERT_EQ(out_[i * n + j], in_[j * n + i]) << i << ", " << j;
    }
  }
}

TEST_P(Lockstep, CompactsByBallot) {
  const uint32_t n = wave();
  numbers(n, n);
  for (uint32_t i = 0; i < n; i += 3) {
    in_[i] = -in_[i];
  }
  int32_t count = 0;
  args_.count = &count;
  EXPECT_THAT(run("17ballot_compactionENS_9TrialArgsE", n), IsEmpty());
  std::vector<float> expected;
  for (const float value : in_) {
    if (value > 0) {
      expected.push_back(value);
    }
  }
  ASSERT_EQ(count, static_cast<int>(expected.size()));
  out_.resize(expected.size());
  EXPECT_EQ(out_, expected);
}

TEST_P(Lockstep, ShufflesEightBytesAndKeepsTheLastLane) {
  const uint32_t n = wave();
  numbers(n, n);
  EXPECT_THAT(run("10wide_shiftENS_9TrialArgsE", n), IsEmpty());
  EXPECT_EQ(out_[0], 2);
  EXPECT_EQ(out_[n - 2], n);
  EXPECT_EQ(out_[n - 1], n);
}

TEST_P(Lockstep, RunsEveryThreadOfEveryBlockOnce) {
  numbers(1, 2 * 3 * 4 * 5);
  EXPECT_THAT(run("10everywhereENS_9TrialArgsE", {{2, 3, 4}, 5, 0}), IsEmpty());
  for (size_t i = 0; i < out_.size(); ++i) {
    const size_t block = i / 5;
    ASSERT_EQ(out_[i], static_cast<float>(1000 * block + i % 5));
  }
}

TEST_P(Lockstep, AddsAtomically) {
  numbers(1, 1);
  out_[0] = 0;
  int32_t count = 0;
  uint64_t extremes[2] = {~uint64_t{0}, 0};
  args_.count = &count;
  args_.extremes = extremes;
  EXPECT_THAT(run("7atomicsENS_9TrialArgsE", {{3, 1, 1}, 100, 0}), IsEmpty());
  EXPECT_EQ(count, 600);
  EXPECT_EQ(out_[0], 150);
  EXPECT_THAT(extremes, ElementsAre(1, 300));
}

TEST_P(Lockstep, GivesDynamicSharedMemory) {
  numbers(96, 96);
  EXPECT_THAT(run("15dynamic_reverseIfEEvNS_9TrialArgsE", {{2, 1, 1}, 96, 96 * sizeof(float)}), IsEmpty());
  EXPECT_EQ(out_[0], 96);
  EXPECT_EQ(out_[95], 1);
}

// a[i][k] in {-2..2}, b[k][j] in {-3..4}, neither symmetric: sums of up to 2 * 4 * 16 = 128, which bf16 has exactly.
TEST_P(Lockstep, MultipliesTilesOfMatrices) {
  for (const char* function : {"15matrix_productsINS_4HalfEEEvNS_9TrialArgsE",  //
                               "15matrix_productsINS_8Bfloat16EEEvNS_9TrialArgsE"}) {
    numbers(512, 3 * 256 + 32);
    float* a = in_.data();
    float* b = a + 256;
    for (int i = 0; i < 256; ++i) {
      a[i] = static_cast<float>((2 * (i / 16) + 7 * (i % 16)) % 5 - 2);
      b[i] = static_cast<float>((5 * (i / 16) + 3 * (i % 16)) % 8 - 3);
    }
    ASSERT_THAT(run(function, wave()), IsEmpty());
    std::vector<float> expected(out_.size(), 0.0F);
    for (int i = 0; i < 256; ++i) {
      for (int k = 0; k < 16; ++k) {
        expected[i] += a[i / 16 * 16 + k] * b[k * 16 + i % 16];
        expected[256 + i] += a[i / 16 * 16 + k] * b[i % 16 * 16 + k];
      }
    }
    for (int i = 0; i < 256; ++i) {
      for (int k = 0; k < 16; ++k) {
        expected[512 + i] += expected[i / 16 * 16 + k] * b[k * 16 + i % 16];
      }
    }
    for (int row = 0; row < 16; ++row) {
      const float* last = expected.data() + 512 + ptrdiff_t{16} * row;
      expected[768 + 2 * row] = *std::max_element(last, last + 16);
      expected[768 + 2 * row + 1] = std::accumulate(last, last + 16, 0.0F);
    }
    EXPECT_EQ(out_, expected) << function;
  }
}

TEST_P(Lockstep, CopiesToSharedMemoryAreThereAfterTheWait) {
  numbers(512, 512);
  args_.n = 100;  // of 128
  EXPECT_THAT(run("12copies_asyncENS_9TrialArgsE", 128), IsEmpty());
  for (size_t i = 0; i < 512; ++i) {
    const size_t from = (127 - i / 4) * 4 + i % 4;
    ASSERT_EQ(out_[i], from < 400 ? in_[from] : 0) << i;
  }
  EXPECT_THAT(run("12missing_waitENS_9TrialArgsE", 128), IsEmpty());
  EXPECT_TRUE(std::all_of(out_.begin(), out_.begin() + 128, [](float value) { return std::isnan(value); }));
  EXPECT_THAT(run("16copies_unalignedENS_9TrialArgsE", 1), HasSubstr("thread 0 threw an exception"));
}

TEST_P(Lockstep, AMissingWaitForThePreviousKernelIsAFailure) {
  numbers(64, 64);
  const std::string function = "18waits_for_previousENS_9TrialArgsE";
  const LaunchShape behind{{1, 1, 1}, 64, 0, true};
  args_.n = 64;
  EXPECT_THAT(run(function, behind), IsEmpty());
  args_.n = 40;
  EXPECT_THAT(run(function, behind), HasSubstr("thread 40 ended without a wait"));
  EXPECT_THAT(run(function, 64), IsEmpty()) << "launched in the ordinary way";
}

TEST_P(Lockstep, ThreadsWaitForTimeTogether) {
  args_.n = 20'000'000;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(run("13wait_for_timeENS_9TrialArgsE", 64), IsEmpty());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took.count(), 0.020);
  EXPECT_LT(took.count(), 0.020 * 32) << "one thread after the other would take 64 times as long";
}

TEST_P(Lockstep, AWaveMayWaitForAnother) {
  numbers(1, 128);
  EXPECT_THAT(run("19wait_for_other_waveENS_9TrialArgsE", 128), IsEmpty());
  EXPECT_EQ(out_, std::vector<float>(128, 7));
}

TEST_P(Lockstep, AMissingBarrierShowsAsNaN) {
  numbers(128, 128);
  EXPECT_THAT(run("15missing_barrierENS_9TrialArgsE", 128), IsEmpty());
  // Going up, each thread but the last reads what its neighbour has not written; going down, only the last does.
  const auto unwritten = std::count_if(out_.begin(), out_.end(), [](float value) { return std::isnan(value); });
  EXPECT_EQ(unwritten, descending() ? 1 : 127);
}

TEST_P(Lockstep, SharedMemoryIsPoisonedBeforeEachBlock) {
  numbers(1, 3);
  EXPECT_THAT(run("15reads_unwrittenENS_9TrialArgsE", {{1, 1, 1}, 1, 32}), IsEmpty());
  EXPECT_TRUE(std::isnan(out_[0]) && std::isnan(out_[1]) && std::isnan(out_[2]));
  numbers(1, 3);
  EXPECT_THAT(run("15reads_unwrittenENS_9TrialArgsE", {{1, 1, 1}, 1, 32}), IsEmpty());
  EXPECT_TRUE(std::isnan(out_[0]) && std::isnan(out_[1]) && std::isnan(out_[2])) << "left by the block before";
}

TEST_P(Lockstep, DivergenceIsAFailure) {
  numbers(1, 2);
  int32_t count = 0;
  args_.count = &count;
  EXPECT_THAT(
      run("19diverged_primitivesENS_9TrialArgsE", 64),
      AllOf(HasSubstr("kernel aaco::gpu::(anonymous namespace)::diverged_primitives(aaco::TrialArgs): block "
                      "(0, 0, 0): lanes of a wave diverged: thread "),
            HasSubstr(" waits at shuffle_xor (trial_kernels.cu:"), HasSubstr(" waits at ballot (trial_kernels.cu:")));
  EXPECT_THAT(run("14diverged_callsENS_9TrialArgsE", 64), HasSubstr("lanes of a wave diverged"));
  EXPECT_THAT(run("19barrier_within_waveENS_9TrialArgsE", wave()),
              AllOf(HasSubstr("lanes of a wave diverged"), HasSubstr("thread 5 waits at sync_block"),
                    HasSubstr("waits at sync_wave")));
  EXPECT_THAT(run("12two_barriersENS_9TrialArgsE", 128),
              AllOf(HasSubstr("threads of a block are at different barriers: thread 0 waits at sync_block"),
                    HasSubstr("thread " + std::to_string(lanes_) + " waits at sync_block")));
}

TEST_P(Lockstep, ReadingALaneThatIsNotThereIsAFailure) {
  numbers(64, 64);
  EXPECT_THAT(run("16reads_ended_laneENS_9TrialArgsE", wave()),
              HasSubstr("thread 8 waits at shuffle_xor (trial_kernels.cu:"));
  EXPECT_THAT(run("16reads_ended_laneENS_9TrialArgsE", wave()), HasSubstr("for lane 9, which has ended"));
  EXPECT_THAT(run("18reads_missing_laneENS_9TrialArgsE", 17), HasSubstr("which the block does not have"));
}

TEST_P(Lockstep, OverrunsAreFailures) {
  args_.n = 16;
  EXPECT_THAT(run("15overruns_sharedENS_9TrialArgsE", {{1, 1, 1}, 1, 64}),
              HasSubstr("wrote beyond the 64 bytes of dynamic shared memory"));
  args_.n = 15;
  EXPECT_THAT(run("15overruns_sharedENS_9TrialArgsE", {{1, 1, 1}, 1, 64}), IsEmpty());
  if (!descending()) {  // over the stack of thread 0, which has ended
    numbers(1, 1);
    EXPECT_THAT(run("15overflows_stackENS_9TrialArgsE", 2), HasSubstr("thread 1 overflowed its stack of 65536 bytes"));
  }
}

TEST_P(Lockstep, ImpossibleLaunchesAreFailures) {
  numbers(1, 1);
  EXPECT_THAT(run("10everywhereENS_9TrialArgsE", {{0, 1, 1}, 1, 0}), HasSubstr("a grid of (0, 1, 1)"));
  EXPECT_THAT(run("10everywhereENS_9TrialArgsE", 1025), HasSubstr("blocks of 1025 threads"));
  limits_.shared_bytes = 1000;
  EXPECT_THAT(run("10everywhereENS_9TrialArgsE", {{1, 1, 1}, 1, 1001}),
              HasSubstr("1001 bytes of shared memory, of 1000"));
}

TEST_P(Lockstep, UnknownKernelsAreNotFound) {
  EXPECT_EQ(library_.find("_ZN4aaco3gpu7nothingENS_9TrialArgsE"), nullptr);
  EXPECT_EQ(library_.find("aaco_lockstep_library"), nullptr) << "a function, but no kernel";
}

TEST_P(Lockstep, RunsOnAfterAFailure) {
  for (int i = 0; i < 20; ++i) {
    numbers(64, 64);
    EXPECT_THAT(run("16reads_ended_laneENS_9TrialArgsE", wave()), HasSubstr("which has ended"));
    EXPECT_THAT(run("14wave_reductionENS_9TrialArgsE", 64), IsEmpty());
    EXPECT_EQ(out_[0], lanes_ == 32 ? 528 : 2080);
  }
}

}  // namespace
}  // namespace aaco::gpu::lockstep
