// SPDX-License-Identifier: MIT
#include "observe/kernel/stacks/process_code.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(ProcessCode, a_name_holds_nothing_that_separates_frames) {
  ProcessCode code;
  EXPECT_EQ(code.name({"/no/such/folder/a;main\nb.so", 0x12}), "a:main b.so+0x12");
  EXPECT_EQ(code.name({"", 0}), "[no file]");
}

}  // namespace
}  // namespace aaco
