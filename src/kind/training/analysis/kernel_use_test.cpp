// SPDX-License-Identifier: MIT
#include "kind/training/analysis/kernel_use.h"

#include <gtest/gtest.h>

#include "base/json/json.h"
#include "record/device/activity_table.h"

namespace aaco {
namespace {

// Compute capability 9.0.
constexpr ComputeUnitLimits kHopper{.registers = 65536,
                                    .threads = 2048,
                                    .blocks = 32,
                                    .wave_lanes = 32,
                                    .shared_bytes = 233472,
                                    .reserved_shared_bytes = 1024};

KernelResources taking(uint32_t registers, uint32_t block_threads, uint32_t shared_bytes) {
  return {.registers = registers, .block_threads = block_threads, .shared_bytes = shared_bytes, .local_bytes = 0};
}

struct Case {
  KernelResources kernel;
  double fraction;
  const char* limited_by;
};

// As NVIDIA's occupancy calculator has them.
TEST(KernelOccupancy, KnownKernels) {
  const Case cases[] = {
      {taking(128, 256, 0), 0.25, "registers"},           // 4096 registers a wave, 16 waves: two blocks
      {taking(255, 128, 0), 0.125, "registers"},          // 8192 a wave: two waves in each quarter, two blocks of four
      {taking(32, 256, 0), 1, "threads"},                 // 64 waves
      {taking(33, 256, 0), 0.75, "registers"},            // 33 * 32 becomes 1280: 48 waves
      {taking(16, 32, 0), 0.5, "blocks"},                 // 32 blocks of one wave
      {taking(32, 128, 65536), 0.1875, "shared memory"},  // 66560 bytes a block: three of four waves
      {taking(168, 384, 231424), 0.1875, "registers"},    // 12 waves: one block, by shared memory too
      {taking(32, 100, 0), 1, "threads"},                 // four waves, not quite full
  };
  for (const Case& one : cases) {
    const auto occupancy = occupancy_of(one.kernel, kHopper);
    ASSERT_TRUE(occupancy) << one.kernel.registers;
    EXPECT_DOUBLE_EQ(occupancy->fraction, one.fraction) << one.kernel.registers << " " << one.kernel.block_threads;
    EXPECT_STREQ(occupancy->limited_by, one.limited_by) << one.kernel.registers;
  }
}

TEST(KernelOccupancy, IsUnknownWithoutRegistersOrLimits) {
  EXPECT_FALSE(occupancy_of(taking(0, 256, 0), kHopper));
  EXPECT_FALSE(occupancy_of(taking(32, 0, 0), kHopper));
  EXPECT_FALSE(occupancy_of(taking(32, 256, 0), ComputeUnitLimits()));
  EXPECT_FALSE(occupancy_of(taking(32, 256, 300'000), kHopper)) << "a block that does not fit";
}

ActivityRecord launch(uint32_t name, int64_t start_ns, int64_t end_ns, const KernelResources& resources) {
  ActivityRecord record;
  record.name = name;
  record.start_ns = start_ns;
  record.end_ns = end_ns;
  record.kernel = resources;
  return record;
}

// Names are k0, k1, ...
EventTable table_of(std::vector<ActivityRecord> records) {
  ActivityTable sink;
  for (ActivityRecord& record : records) {
    record.name = sink.intern("k" + std::to_string(record.name));
  }
  sink.push(records);
  return sink.take();
}

TEST(KernelUses, AreByNameAndWhatALaunchTakes) {
  KernelResources spilled = taking(255, 128, 0);
  spilled.local_bytes = 48;
  ActivityRecord copy = launch(0, 0, 1000, {});
  copy.kind = ActivityKind::kCopy;
  const std::vector<ActivityRecord> records = {
      launch(0, 0, 10, taking(128, 256, 0)),   launch(1, 10, 110, spilled), launch(0, 110, 130, taking(128, 256, 0)),
      launch(0, 130, 135, taking(128, 64, 0)), launch(2, 135, 137, {}),     copy};
  const auto uses = kernel_uses(table_of(records), kHopper);
  ASSERT_EQ(uses.size(), 4U);
  EXPECT_EQ(uses[0].name, "k1");
  EXPECT_EQ(uses[0].local_bytes, 48);
  EXPECT_EQ(uses[1].name, "k0");
  EXPECT_EQ(uses[1].launches, 2);
  EXPECT_DOUBLE_EQ(uses[1].total_ns, 30);
  EXPECT_EQ(uses[1].registers, 128);
  EXPECT_EQ(uses[1].local_bytes, 0) << "told, and none";
  EXPECT_EQ(uses[1].occupancy, 0.25);
  EXPECT_EQ(uses[1].limited_by, "registers");
  EXPECT_EQ(uses[2].block_threads, 64);
  EXPECT_FALSE(uses[3].registers) << "a CPU has none";
  EXPECT_FALSE(uses[3].local_bytes);
  EXPECT_FALSE(uses[3].occupancy);
  const auto read = from_json_value<KernelUse>(Json(uses[3]), "x.json");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->registers);
}

// Of AMD's records registers are not told: no occupancy, what is told is there.
TEST(KernelUses, WithoutRegistersTheRestIsThere) {
  const ActivityRecord record = launch(0, 0, 10, taking(0, 256, 4096));
  const auto uses = kernel_uses(table_of({record}), {});
  EXPECT_EQ(uses[0].shared_bytes, 4096);
  EXPECT_EQ(uses[0].block_threads, 256);
  EXPECT_FALSE(uses[0].registers);
  EXPECT_FALSE(uses[0].occupancy);
}

}  // namespace
}  // namespace aaco
