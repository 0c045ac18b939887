// SPDX-License-Identifier: MIT
#include "record/accelerator.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(Accelerators, TheLongestPatternDecides) {
  std::vector<Accelerator> all(3);
  all[0] = {"MI250", {"MI250"}, {}, {}, {}, {}, {}, {}, {}};
  all[1] = {"MI250X", {"MI250X"}, {}, {}, {}, {}, {}, {}, {}};
  all[2] = {"none", {}, {}, {}, {}, {}, {}, {}, {}};
  EXPECT_EQ(find_accelerator(all, "AMD Instinct MI250X")->name, "MI250X");
  EXPECT_EQ(find_accelerator(all, "AMD Instinct MI250 / MI210")->name, "MI250");
  EXPECT_EQ(find_accelerator(all, "AMD Radeon Graphics"), nullptr);
  EXPECT_EQ(find_accelerator(all, ""), nullptr);
}

TEST(Accelerators, MeasuredRoofsHoldForAllUnits) {
  Roofs roofs;
  roofs.flops_per_s = {{"fp32", 2e11}};
  roofs.bytes_per_s = 1e10;
  roofs.device = "this";
  roofs.measured_at = "2026-01-31";
  const Accelerator accelerator = accelerator_of(roofs);
  EXPECT_EQ(accelerator.matrix.at("fp32"), 2e11);
  EXPECT_EQ(accelerator.vector.at("fp32"), 2e11);
  EXPECT_EQ(accelerator.achievable.at("fp32"), 2e11);
  EXPECT_EQ(accelerator.bytes_per_s, 1e10);
  EXPECT_EQ(accelerator.source, "measured 2026-01-31");
}

}  // namespace
}  // namespace aaco
