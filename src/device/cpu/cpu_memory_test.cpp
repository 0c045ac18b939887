// SPDX-License-Identifier: MIT
#include "device/cpu/cpu_memory.h"

#include <fstream>
#include <limits>
#include <unistd.h>

#include "base/memory/machine_memory.h"
#include "device/cpu/test_cpu.h"

namespace aaco {

namespace {

using test_cpu::value_of;

class CpuMemoryTest : public test_cpu::CpuTest {};

TEST_F(CpuMemoryTest, IsAlignedAndCounted) {
  auto a = value_of(device.allocate(1000, MemoryKind::kDevice));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a->data()) % 256, 0U);
  EXPECT_EQ(a->bytes(), 1000U);
  auto b = value_of(device.allocate(500, MemoryKind::kPinnedHost));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b->data()) % 256, 0U);
  EXPECT_EQ(device.memory_use().allocated_bytes, 1000);
  EXPECT_EQ(device.memory_use().pinned_bytes, 500);
  a.reset();
  EXPECT_EQ(device.memory_use().allocated_bytes, 0);
  EXPECT_EQ(device.memory_use().peak_bytes, 1000);
  device.reset_peak();
  EXPECT_EQ(device.memory_use().peak_bytes, 0);
  EXPECT_EQ(device.memory_use().pinned_peak_bytes, 500);
  b.reset();
  EXPECT_EQ(device.memory_use().pinned_bytes, 0);
  EXPECT_EQ(device.memory_use().pinned_peak_bytes, 500);
  EXPECT_EQ(device.memory_use().library_bytes, 0);
  EXPECT_EQ(device.memory_use().reserved_bytes, -1);
  EXPECT_NE(value_of(device.allocate(0, MemoryKind::kDevice))->data(), nullptr);
}

TEST_F(CpuMemoryTest, MoreThanTheMachineHasIsRefusedAndNotPromised) {
  const auto available = available_memory_bytes();
  ASSERT_TRUE(available);
  for (const size_t bytes :
       {static_cast<size_t>(*available) + (size_t{4} << 30), size_t{1} << 52, std::numeric_limits<size_t>::max()}) {
    const auto buffer = device.allocate(bytes, MemoryKind::kDevice);
    ASSERT_FALSE(buffer);
    EXPECT_EQ(buffer.error().kind, ErrorKind::kResource);
    EXPECT_THAT(buffer.error().message,
                testing::ContainsRegex("[0-9.]+ [kMGTPEZ]?B were asked for, [0-9.]+ [MGT]B are free"));
  }
  EXPECT_EQ(device.memory_use().allocated_bytes, 0);
  EXPECT_EQ(device.memory_use().peak_bytes, 0);
}

// 256 MB that nobody has written to yet are gone from what is available.
// Of this process (proc(5), the second number of statm); what others do to the machine's memory does not matter.
int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total_pages = 0;
  int64_t resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * ::sysconf(_SC_PAGESIZE);
}

TEST_F(CpuMemoryTest, WhatIsAllocatedIsThere) {
  constexpr size_t kBytes = size_t{256} << 20;
  const int64_t before = resident_bytes();
  const auto buffer = value_of(device.allocate(kBytes, MemoryKind::kDevice));
  EXPECT_GT(resident_bytes(), before + static_cast<int64_t>(kBytes / 2));
}

TEST_F(CpuMemoryTest, PropertiesAreThoseOfThisMachine) {
  const DeviceProperties& properties = device.properties();
  EXPECT_EQ(properties.id, "cpu:0");
  EXPECT_FALSE(properties.name.empty());
  EXPECT_GT(properties.memory_bytes, available_memory_bytes().value_or(0));
  EXPECT_GE(properties.compute_units, 1);
  EXPECT_EQ(properties.wave_lanes, 1);
}

}  // namespace

}  // namespace aaco
