// SPDX-License-Identifier: MIT
#include "observe/denormal_flag.h"

#include <gtest/gtest.h>

#include "base/test_skip.h"

namespace aaco {
namespace {

bool flag_after_adding(float a, float b) {
  volatile float left = a;
  volatile float right = b;
  clear_denormal_flag();
  volatile float sum = left + right;
  static_cast<void>(sum);
  return *denormal_flag();
}

TEST(DenormalFlag, IsSetByAnOperandThatIsOne) {
  clear_denormal_flag();
  if (!denormal_flag()) {
    AACO_SKIP("this processor keeps no such flag");
  }
  EXPECT_TRUE(flag_after_adding(1e-40F, 1));
  EXPECT_FALSE(flag_after_adding(1e-30F, 1));
  EXPECT_FALSE(flag_after_adding(0, 1));
}

}  // namespace
}  // namespace aaco
