// SPDX-License-Identifier: MIT
#include "engine/tool/programs.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(Programs, FirstNumberWithADot) {
  EXPECT_EQ(version_in("NVIDIA Nsight Systems version 2025.3.1.90-253135822126v0"), (std::vector<int>{2025, 3, 1, 90}));
  EXPECT_EQ(version_in("v1.5.6 (libduckdb.so)"), (std::vector<int>{1, 5, 6}));
  EXPECT_EQ(version_in("rocprofv3 is 1 of 2 tools"), (std::vector<int>{}));
  EXPECT_EQ(version_in("perf version 6.1.140"), (std::vector<int>{6, 1, 140}));
  EXPECT_EQ(version_in(""), (std::vector<int>{}));
  EXPECT_EQ(version_in("99999999999999999999.1"), (std::vector<int>{}));
}

TEST(Programs, TheVersionMayStandBelowABanner) {
  EXPECT_EQ(version_line({"NVIDIA (R) Nsight Compute", "Copyright (c) 2018-2024", " Version 2024.3.2.0 (build 1)"}),
            "Version 2024.3.2.0 (build 1)");
  EXPECT_EQ(version_line({}), "");
}

}  // namespace
}  // namespace aaco
