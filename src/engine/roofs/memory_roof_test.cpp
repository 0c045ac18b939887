// SPDX-License-Identifier: MIT
#include "engine/roofs/memory_roof.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/temporary_folder.h"
#include "device/backend.h"
#include "observe/roofs/roofs.h"

namespace aaco {
namespace {

TEST(MemoryRoof, IsOfTheLargerOfTwoRatesAndSaysHow) {
  const auto device = open_device("cpu:0");
  ASSERT_TRUE(device);
  const auto roof = measure_memory_roof(**device, 1 << 20);
  ASSERT_TRUE(roof) << roof.error().message;
  EXPECT_GT(roof->bytes_per_s, 1e6);
  EXPECT_THAT(roof->how, testing::MatchesRegex("a (copy of|sum of two) arrays of 1.*MB, out of caches"));
  EXPECT_EQ((*device)->memory_use().allocated_bytes, 0) << "its arrays are freed";
}

TEST(MemoryRoof, OfMoreThanThereIsAnError) {
  const auto device = open_device("cpu:0");
  ASSERT_TRUE(device);
  EXPECT_EQ(measure_memory_roof(**device, int64_t{1} << 50).error().kind, ErrorKind::kResource);
}

Result<void> keep_triad(int64_t threads, double bytes_per_s) {
  Roofs roofs;
  roofs.bytes_per_s = bytes_per_s;
  roofs.threads = threads;
  roofs.measured_at = "2026-01-01T00:00:00Z";
  roofs.device = roofs_device();
  return store_roofs(roofs);
}

TEST(HostMemoryRoof, IsWhatWasKeptForOneThreadOfThisMachine) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  ::setenv("AACO_CACHE", folder->path().c_str(), 1);
  const auto none = host_memory_roof(false, [](const std::string&, double) {});
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->roof);
  EXPECT_THAT(none->unavailable, testing::HasSubstr("aaco doctor --measure"));
  ASSERT_TRUE(keep_triad(4, 9e10));
  const auto other = host_memory_roof(false, [](const std::string&, double) {});
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->roof) << "four threads move more than the one of a stream";
  EXPECT_THAT(other->unavailable, testing::HasSubstr("not measured with one thread"));
  ASSERT_TRUE(keep_triad(1, 5e10));
  const auto kept = host_memory_roof(false, [](const std::string&, double) {});
  ::unsetenv("AACO_CACHE");
  ASSERT_TRUE(kept && kept->roof);
  EXPECT_EQ(kept->roof->bytes_per_s, 5e10);
  EXPECT_EQ(kept->roof->how, "a triad on 1 thread, measured 2026-01-01T00:00:00Z");
  EXPECT_EQ(kept->unavailable, "");
}

}  // namespace
}  // namespace aaco
