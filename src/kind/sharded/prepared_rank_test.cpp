// SPDX-License-Identifier: MIT
#include "kind/sharded/prepared_rank.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(StreamPriority, IsTheHighestWhereItWasAskedForAndTheLowestElse) {
  DeviceProperties device;
  device.lowest_priority = 0;
  device.highest_priority = -5;
  sharded::StreamPriorities high;
  high.reduce_scatter = true;
  EXPECT_EQ(priority_of(ShardedStream::kReduce, high, device), -5);
  EXPECT_EQ(priority_of(ShardedStream::kGather, high, device), 0);
  EXPECT_EQ(priority_of(ShardedStream::kReplicate, high, device), 0);
  high = {.all_gather = true, .all_reduce = true};
  EXPECT_EQ(priority_of(ShardedStream::kGather, high, device), -5);
  EXPECT_EQ(priority_of(ShardedStream::kReplicate, high, device), -5);
  EXPECT_EQ(priority_of(ShardedStream::kReduce, high, device), 0);
  EXPECT_EQ(priority_of(ShardedStream::kCompute, high, device), 0);
  device.highest_priority = device.lowest_priority;  // a device without
  EXPECT_EQ(priority_of(ShardedStream::kGather, high, device), 0);
}

}  // namespace
}  // namespace aaco
