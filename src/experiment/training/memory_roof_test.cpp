// SPDX-License-Identifier: MIT
#include "experiment/training/memory_roof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/backend.h"

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

}  // namespace
}  // namespace aaco
