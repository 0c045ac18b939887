// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/collective.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(Collective, TypesByPyTorchsNames) {
  EXPECT_EQ(collective_type("allreduce"), CollectiveType::kAllReduce);
  EXPECT_EQ(collective_type("allreduce_coalesced"), CollectiveType::kAllReduce);
  EXPECT_EQ(collective_type("_allgather_base"), CollectiveType::kAllGather);
  EXPECT_EQ(collective_type("all_gather_into_tensor_coalesced"), CollectiveType::kAllGather);
  EXPECT_EQ(collective_type("_reduce_scatter_base"), CollectiveType::kReduceScatter);
  EXPECT_EQ(collective_type("all_to_allv"), CollectiveType::kAllToAll);
  EXPECT_EQ(collective_type("broadcast"), CollectiveType::kBroadcast);
  EXPECT_EQ(collective_type("_reduce_oop"), CollectiveType::kReduce);
  EXPECT_EQ(collective_type("wait"), CollectiveType::kOther);
  EXPECT_EQ(collective_type(""), CollectiveType::kOther);
}

// Worked by hand from nccl-tests' table for 4 and 8 ranks.
TEST(Collective, BusFactors) {
  EXPECT_EQ(bus_factor(CollectiveType::kAllReduce, 4), 1.5);
  EXPECT_EQ(bus_factor(CollectiveType::kAllReduce, 8), 1.75);
  EXPECT_EQ(bus_factor(CollectiveType::kAllGather, 4), 0.75);
  EXPECT_EQ(bus_factor(CollectiveType::kReduceScatter, 8), 0.875);
  EXPECT_EQ(bus_factor(CollectiveType::kAllToAll, 4), 0.75);
  EXPECT_EQ(bus_factor(CollectiveType::kBroadcast, 4), 1);
  EXPECT_EQ(bus_factor(CollectiveType::kReduce, 8), 1);
  EXPECT_EQ(bus_factor(CollectiveType::kAllReduce, 1), 0);
  EXPECT_EQ(bus_factor(CollectiveType::kOther, 4), std::nullopt);
  EXPECT_EQ(bus_factor(CollectiveType::kAllReduce, 0), std::nullopt);
}

TEST(Collective, TheSizeIsTheWholeArrays) {
  EXPECT_EQ(collective_bytes(CollectiveType::kAllReduce, 10, 10, "Float"), 40);
  EXPECT_EQ(collective_bytes(CollectiveType::kAllGather, 10, 80, "BFloat16"), 160);
  EXPECT_EQ(collective_bytes(CollectiveType::kReduceScatter, 80, 10, "BFloat16"), 160);
  EXPECT_EQ(collective_bytes(CollectiveType::kBroadcast, 0, 0, "Long"), 0);
  EXPECT_EQ(collective_bytes(CollectiveType::kAllReduce, 10, 10, "Unheard"), std::nullopt);
  EXPECT_EQ(collective_bytes(CollectiveType::kAllReduce, -1, 10, "Float"), std::nullopt);
  EXPECT_EQ(collective_bytes(CollectiveType::kAllReduce, INT64_MAX, 10, "Float"), std::nullopt);
}

}  // namespace
}  // namespace aaco
