// SPDX-License-Identifier: MIT
#include "base/text/nearest_word.h"

#include <gtest/gtest.h>

namespace aaco {

TEST(NearestWord, BeginningThenPartThenFewestEdits) {
  const std::vector<std::string> known{"moe", "hetero_kernels", "large_gemm_only", "queue", "run"};
  EXPECT_EQ(nearest_word("hetero", known), "hetero_kernels");
  EXPECT_EQ(nearest_word("gemm", known), "large_gemm_only");
  EXPECT_EQ(nearest_word("hetero_kernles", known), "hetero_kernels");
  EXPECT_EQ(nearest_word("qeue", known), "queue");
  EXPECT_EQ(nearest_word("rnu", known), "");  // two edits of three letters: anything is as near
  EXPECT_EQ(nearest_word("rum", known), "run");
}

TEST(NearestWord, NothingNear) {
  EXPECT_EQ(nearest_word("sessions/latest", {"run", "report"}), "");
  EXPECT_EQ(nearest_word("", {"run"}), "");
  EXPECT_EQ(nearest_word("run", {}), "");
  EXPECT_EQ(nearest_word(std::string(1'000'000, 'a'), {"run"}), "");
}

}  // namespace aaco
