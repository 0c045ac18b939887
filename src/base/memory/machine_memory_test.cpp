// SPDX-License-Identifier: MIT
#include "base/memory/machine_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(MachineMemory, WhatIsAvailableIsSomeOfWhatIsThere) {
  const auto available = available_memory_bytes();
  const auto total = total_memory_bytes();
  ASSERT_TRUE(available && total);
  EXPECT_GT(*available, 1 << 20);
  EXPECT_LE(*available, *total);
}

TEST(MachineMemory, WhatDoesNotFitIsNamedWithWhatThereIs) {
  EXPECT_TRUE(expect_memory(1000, 1000, "a table", ""));
  EXPECT_TRUE(expect_memory(UINT64_MAX, std::nullopt, "a table", ""));
  const auto refused = expect_memory(12'000'000'000, 4'000'000'000, "a table", "use less");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(refused.error().message, "a table needs 12.0 GB of memory, 4.00 GB are available");
  EXPECT_EQ(refused.error().hint, "use less");
  EXPECT_FALSE(expect_memory(1, -5, "a table", ""));
}

}  // namespace
}  // namespace aaco
