// SPDX-License-Identifier: MIT
#include "observe/roofs/roofs.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/interrupt.h"
#include "base/test_skip.h"
#include "observe/roofs/multiply_add.h"
#include "observe/roofs/team.h"
#include "observe/roofs/triad.h"

namespace aaco {

namespace {

HostFiles lockbox_root() { return HostFiles(std::filesystem::path(AACO_SOURCE_DIR) / "tests/roots/lockbox"); }

// The cache in a folder of this test's own.
class RoofsCacheTest : public testing::Test {
 protected:
  RoofsCacheTest() : folder_(std::filesystem::temp_directory_path() / ("aaco_cache_" + std::to_string(::getpid()))) {
    ::setenv("AACO_CACHE", folder_.c_str(), 1);
  }
  ~RoofsCacheTest() override {
    ::unsetenv("AACO_CACHE");
    std::filesystem::remove_all(folder_);
  }
  static Roofs roofs(int64_t threads, double fp32) {
    Roofs roofs;
    roofs.device = roofs_device();
    roofs.threads = threads;
    roofs.flops_per_s["fp32"] = fp32;
    roofs.unavailable["launch"] = "why";
    return roofs;
  }
  std::filesystem::path folder_;
};

}  // namespace

// Each step adds 1 * 1 to every lane (2, 4, 32 or 64 products in a dot product), so the accumulators hold the count:
// lanes * per_lane * steps multiply-adds, two operations each.
TEST(MultiplyAdd, ResultIsTheNumberOfMultiplyAdds) {
  const CpuFeatures features = cpu_features();
  int ran = 0;
  for (const MultiplyAddKernel& kernel : multiply_add_kernels()) {
    if (!(features.*kernel.needs)) {
      continue;
    }
    ++ran;
    for (const uint64_t steps : {uint64_t{1}, uint64_t{2}, uint64_t{1000}}) {
      const MultiplyAddRun run = run_multiply_add(kernel, steps);
      EXPECT_TRUE(run.exact) << kernel.instructions;
      EXPECT_EQ(2 * run.sum, kernel.operations(steps)) << kernel.instructions;
      EXPECT_GE(run.end_ns, run.start_ns);
    }
  }
  if (ran == 0) {
    AACO_SKIP("this processor has no FMA instructions");
  }
}

// 12 registers of 512 bits: 8 doubles, 16 floats, 32 halves, 16 lanes of 2 or 4 products; 6 tiles of 16 x 16 sums of
// 32 or 64 products.
TEST(MultiplyAdd, OperationsInClosedForm) {
  const auto operations = [](std::string_view instructions) {
    for (const MultiplyAddKernel& kernel : multiply_add_kernels()) {
      if (instructions == kernel.instructions) {
        return kernel.operations(10);
      }
    }
    return 0.0;
  };
  EXPECT_EQ(operations("avx512f vfmadd231pd"), 2.0 * 10 * 12 * 8);
  EXPECT_EQ(operations("fma vfmadd231pd"), 2.0 * 10 * 12 * 4);
  EXPECT_EQ(operations("avx512f vfmadd231ps"), 2.0 * 10 * 12 * 16);
  EXPECT_EQ(operations("fma vfmadd231ps"), 2.0 * 10 * 12 * 8);
  EXPECT_EQ(operations("avx512_fp16 vfmadd231ph"), 2.0 * 10 * 12 * 32);
  EXPECT_EQ(operations("avx512_bf16 vdpbf16ps"), 2.0 * 10 * 12 * 16 * 2);
  EXPECT_EQ(operations("avx512_vnni vpdpbusd"), 2.0 * 10 * 12 * 16 * 4);
  EXPECT_EQ(operations("avx_vnni vpdpbusd"), 2.0 * 10 * 12 * 8 * 4);
  EXPECT_EQ(operations("amx_bf16 tdpbf16ps"), 2.0 * 10 * 6 * 256 * 32);
  EXPECT_EQ(operations("amx_int8 tdpbssd"), 2.0 * 10 * 6 * 256 * 64);
}

// The largest step count still counts exactly; 16-bit floats stay at 2048 for any count.
TEST(MultiplyAdd, CountsToItsLimit) {
  const CpuFeatures features = cpu_features();
  for (const MultiplyAddKernel& kernel : multiply_add_kernels()) {
    if (!(features.*kernel.needs) || kernel.lane == Lane::kFloat64) {
      continue;  // 2^53 steps of doubles take months
    }
    const bool half = kernel.lane == Lane::kFloat16;
    const uint64_t steps = half ? 5000 : std::min(most_steps(kernel), uint64_t{1} << 21);
    const MultiplyAddRun run = run_multiply_add(kernel, steps);
    EXPECT_TRUE(run.exact) << kernel.instructions;
    if (half) {
      EXPECT_EQ(run.sum, 2048.0 * static_cast<double>(kernel.lanes));
    }
  }
}

TEST(Triad, ComputesTheFormulaAndGivesABandwidth) {
  const std::vector<int> processors = allowed_processors();
  // 1 MiB and an odd number of lines, on one processor and on all.
  for (const auto& chosen : {std::vector<int>{processors.front()}, processors}) {
    const Result<TriadRun> run = run_triad(chosen, (1 << 20) + 64, 2);  // checks a[i] = b[i] + s c[i] itself
    ASSERT_TRUE(run.has_value()) << run.error().message;
    EXPECT_GT(run->bytes_per_s, 0);
    EXPECT_THAT(run->stores, testing::AnyOf("non-temporal stores", "plain stores"));
  }
}

TEST(Triad, LastLevelCacheCountsSharedOnesOnce) {
  EXPECT_EQ(last_level_cache_bytes(lockbox_root(), {0, 1}), int64_t{32768} * 1024);
  EXPECT_EQ(last_level_cache_bytes(lockbox_root(), {0, 7}), 0);  // processor 7 is not there
}

TEST(Team, RunsEachIndexOnce) {
  const std::vector<int> processors = allowed_processors();
  std::vector<std::atomic<int>> ran(processors.size());
  ASSERT_TRUE(run_team(processors, [&](size_t index) { ++ran[index]; }).has_value());
  for (const auto& count : ran) {
    EXPECT_EQ(count, 1);
  }
  EXPECT_EQ(run_team({1 << 15}, [](size_t) {}).error().kind, ErrorKind::kResource);  // no such processor
}

// Processors 0 and 1 are cores; 2 and 3 their second hardware threads.
TEST(Team, PhysicalCoresComeFirst) {
  const auto root = std::filesystem::temp_directory_path() / ("aaco_siblings_" + std::to_string(::getpid()));
  for (int processor = 0; processor < 4; ++processor) {
    const auto folder = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(processor)) / "topology";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "thread_siblings_list") << processor % 2 << "," << processor % 2 + 2 << "\n";
  }
  EXPECT_EQ(spread_processors(HostFiles(root), {0, 2, 1, 3}, 3).value(), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(spread_processors(HostFiles(root), {0, 1}, 3).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(spread_processors(HostFiles(root), {0, 1}, 0).error().kind, ErrorKind::kUsage);
  std::filesystem::remove_all(root);
}

TEST_F(RoofsCacheTest, KeepsRoofsByThreads) {
  EXPECT_FALSE(cached_roofs(1));
  ASSERT_TRUE(store_roofs(roofs(8, 8e9)).has_value());
  ASSERT_TRUE(store_roofs(roofs(1, 1e9)).has_value());
  EXPECT_EQ(cached_roofs(1)->flops_per_s["fp32"], 1e9);
  EXPECT_EQ(cached_roofs(4)->threads, 8);  // the next larger count
  EXPECT_FALSE(cached_roofs(9));
  ASSERT_TRUE(store_roofs(roofs(1, 2e9)).has_value());
  EXPECT_EQ(cached_roofs(1)->flops_per_s["fp32"], 2e9);
  EXPECT_EQ(cached_roofs(8)->unavailable["launch"], "why");
  EXPECT_FALSE(cached_roofs(8)->bytes_per_s);
}

// One folder for all that is cached: drift, models and roofs.
TEST_F(RoofsCacheTest, IsInTheCacheFolder) { EXPECT_EQ(roofs_cache_file().parent_path(), folder_); }

TEST_F(RoofsCacheTest, OtherProcessorsAndDamageAreNoRoofs) {
  Roofs other = roofs(1, 1e9);
  other.device = "another";
  ASSERT_TRUE(store_roofs(other).has_value());
  EXPECT_FALSE(cached_roofs(1));
  std::ofstream(roofs_cache_file(), std::ios::trunc) << "[{";
  EXPECT_FALSE(cached_roofs(1));
  ASSERT_TRUE(store_roofs(roofs(1, 3e9)).has_value());
  EXPECT_EQ(cached_roofs(1)->flops_per_s["fp32"], 3e9);
}

// Every precision has a roof or a reason, never both, and each roof is one that a processor can have: between 0.1 and
// 1e5 operations a nanosecond and thread.
TEST(MeasureRoofs, GivesARoofOrAReasonForEachPrecision) {
  std::vector<double> fractions;
  const auto progress = [&](const std::string&, double fraction) { fractions.push_back(fraction); };
  const Result<RoofMeasurement> measurement = measure_roofs(1, progress, {.arithmetic_ns = 1, .array_bytes = 1 << 20});
  ASSERT_TRUE(measurement.has_value()) << measurement.error().message;
  const Roofs* roofs = &measurement->roofs;
  for (const char* precision : {"fp64", "fp32", "fp16", "bf16", "int8"}) {
    ASSERT_NE(roofs->flops_per_s.contains(precision), roofs->unavailable.contains(precision)) << precision;
    if (roofs->flops_per_s.contains(precision)) {
      EXPECT_GT(roofs->flops_per_s.at(precision), 1e8) << precision;
      EXPECT_LT(roofs->flops_per_s.at(precision), 1e14) << precision;
      EXPECT_FALSE(roofs->instructions.at(precision).empty());
    }
  }
  EXPECT_NE(roofs->bytes_per_s.has_value(), roofs->unavailable.contains("memory"));
  EXPECT_FALSE(roofs->launch_ns);
  EXPECT_TRUE(roofs->unavailable.contains("launch"));
  EXPECT_EQ(roofs->threads, 1);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_GE(fractions.at(0), 0);
  EXPECT_LT(fractions.back(), 1);
}

TEST(MeasureRoofs, DisturbedAboveFivePercent) {
  EXPECT_FALSE((RoofMeasurement{{}, 0.05}.disturbed()));
  EXPECT_TRUE((RoofMeasurement{{}, 0.06}.disturbed()));
  EXPECT_FALSE((RoofMeasurement{{}, std::nullopt}.disturbed()));
}

TEST(MeasureRoofs, RefusesImpossibleThreadCounts) {
  EXPECT_EQ(measure_roofs(0).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(measure_roofs(1 << 20).error().kind, ErrorKind::kUsage);
}

}  // namespace aaco
