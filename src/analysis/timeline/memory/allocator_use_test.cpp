// SPDX-License-Identifier: MIT
#include "analysis/timeline/memory/allocator_use.h"

#include <gtest/gtest.h>
#include <vector>

#include "analysis/timeline/test_trace.h"

namespace aaco {
namespace {

class Memory : public testing::Test {
 protected:
  void mark(int64_t time_ns, const std::vector<Argument>& arguments) {
    trace_.add(host_, EventKind::kOther, "[memory]", time_ns, 0, kNoId, arguments);
    trace_.table.shape[trace_.table.size() - 1] = EventShape::kInstant;
  }
  void change(int64_t time_ns, int64_t bytes) {
    mark(time_ns, {trace_.integer("Device Type", 1), trace_.integer("Device Id", 0), trace_.integer("Bytes", bytes)});
  }
  void total(int64_t time_ns, int64_t bytes, int64_t total_bytes, int64_t reserved_bytes) {
    mark(time_ns, {trace_.integer("Device Type", 1), trace_.integer("Device Id", 0), trace_.integer("Bytes", bytes),
                   trace_.integer("Total Allocated", total_bytes), trace_.integer("Total Reserved", reserved_bytes)});
  }
  std::vector<AllocatorUse> use() { return allocator_use(trace_.table, losses_); }

  TestTrace trace_;
  uint32_t host_ = trace_.thread(0);
  LossTable losses_;
};

TEST_F(Memory, PeaksFromTheMarksTotals) {
  total(300, -40, 120, 200);  // the file's order is not that of time
  total(100, 10, 110, 128);
  total(200, 50, 160, 256);
  const auto all = use();
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0].rank, 0);
  EXPECT_EQ(all[0].device_type, 1);
  EXPECT_EQ(all[0].device, 0);
  EXPECT_EQ(all[0].allocations, 2);
  EXPECT_EQ(all[0].frees, 1);
  EXPECT_EQ(all[0].allocated_bytes, 60);
  EXPECT_EQ(all[0].freed_bytes, 40);
  EXPECT_TRUE(all[0].totals);
  EXPECT_EQ(all[0].first_bytes, 100);
  EXPECT_EQ(all[0].last_bytes, 120);
  EXPECT_EQ(all[0].peak_bytes, 160);
  EXPECT_EQ(all[0].peak_at_ns, 200);
  EXPECT_EQ(all[0].peak_reserved_bytes, 256);
}

TEST_F(Memory, WithoutTotalsSinceTheBeginning) {
  change(1, -30);
  change(2, 50);
  change(3, -5);
  const auto all = use();
  EXPECT_FALSE(all.at(0).totals);
  EXPECT_EQ(all[0].first_bytes, 0);
  EXPECT_EQ(all[0].peak_bytes, 20);
  EXPECT_EQ(all[0].last_bytes, 15);
  EXPECT_FALSE(all[0].peak_reserved_bytes);
}

// What is allocated in one part is still there in the next; the peak within a part is seen.
TEST_F(Memory, TheTimelineHoldsTheMostOfEachPart) {
  change(0, 10);
  change(995, 90);
  change(996, -80);  // 20 are left
  change(2'999, 1);
  const auto timeline = use().at(0).timeline;  // of 100 parts of 30 ns
  ASSERT_EQ(timeline.size(), 100);
  EXPECT_EQ(timeline[0].most, 10);
  EXPECT_EQ(timeline[32].most, 10);
  EXPECT_EQ(timeline[33].start_ns, 990);
  EXPECT_EQ(timeline[33].most, 100);
  EXPECT_EQ(timeline[34].most, 20);
  EXPECT_EQ(timeline[99].most, 21);
}

TEST_F(Memory, EachDeviceForItselfAndAMarkWithoutSizeIsALoss) {
  change(1, 10);
  mark(2, {trace_.integer("Device Type", 0), trace_.integer("Device Id", -1), trace_.integer("Bytes", 4)});
  mark(3, {trace_.integer("Device Type", 1), trace_.integer("Device Id", 0)});
  const auto all = use();
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0].device_type, 0);
  EXPECT_EQ(all[0].device, -1);
  EXPECT_EQ(losses_.count(Loss::kMalformedEvent), 1);
}

TEST_F(Memory, SumsBeyondSixtyFourBitsAreClamped) {
  change(1, INT64_MAX);
  change(2, INT64_MAX);
  const auto all = use();
  EXPECT_EQ(all[0].peak_bytes, INT64_MAX);
  EXPECT_EQ(all[0].allocated_bytes, INT64_MAX);
}

}  // namespace
}  // namespace aaco
