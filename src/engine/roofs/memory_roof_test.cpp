// SPDX-License-Identifier: MIT
#include "engine/roofs/memory_roof.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/temporary_folder.h"
#include "device/backend.h"
#include "observe/host_files.h"
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

TEST(HostMemoryRoof, IsWhatWasKeptForThisMachine) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  ::setenv("AACO_CACHE", folder->path().c_str(), 1);
  const auto none = host_memory_roof(false, [](const std::string&, double) {});
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->roof);
  EXPECT_THAT(none->unavailable, testing::HasSubstr("aaco doctor --measure"));
  Roofs roofs;
  roofs.bytes_per_s = 5e10;
  roofs.threads = static_cast<int64_t>(allowed_processors().size());
  roofs.measured_at = "2026-01-01T00:00:00Z";
  roofs.device = roofs_device();
  ASSERT_TRUE(store_roofs(roofs));
  const auto kept = host_memory_roof(false, [](const std::string&, double) {});
  ::unsetenv("AACO_CACHE");
  ASSERT_TRUE(kept && kept->roof);
  EXPECT_EQ(kept->roof->bytes_per_s, 5e10);
  EXPECT_THAT(kept->roof->how, testing::MatchesRegex("a triad on [0-9]+ threads?, measured 2026-01-01T00:00:00Z"));
  EXPECT_EQ(kept->unavailable, "");
}

}  // namespace
}  // namespace aaco
