// SPDX-License-Identifier: MIT
#include "kind/training/worker/recorded_steps.h"

#include <gtest/gtest.h>

#include "record/device/activity_table.h"

namespace aaco {
namespace {

ActivityRecord record(ActivityKind kind, int64_t start_ns, int64_t end_ns) {
  ActivityRecord one;
  one.kind = kind;
  one.start_ns = start_ns;
  one.end_ns = end_ns;
  return one;
}

ActivityRecord kernel(int64_t start_ns, int64_t end_ns) { return record(ActivityKind::kKernel, start_ns, end_ns); }

EventTable table_of(const std::vector<ActivityRecord>& records, uint64_t dropped = 0) {
  ActivityTable sink;
  sink.push(records);
  sink.dropped(dropped);
  return sink.take();
}

TEST(ActivityOf, CountsByKind) {
  std::vector<ActivityRecord> records(2 * kRecordedSteps, kernel(0, 10));
  records.push_back(record(ActivityKind::kLaunchCall, 0, 5));
  records.push_back(record(ActivityKind::kCopy, 0, 5));
  records.push_back(record(ActivityKind::kSet, 0, 5));
  records.push_back(record(ActivityKind::kSync, 0, 5));
  const TrainingActivity activity = activity_of(table_of(records, 3));
  EXPECT_EQ(activity.steps, kRecordedSteps);
  EXPECT_EQ(activity.kernels, 2 * kRecordedSteps);
  EXPECT_EQ(activity.launches, 1) << "a graph is one";
  EXPECT_EQ(activity.copies, 2);
  EXPECT_EQ(activity.dropped, 3);
  EXPECT_TRUE(activity.same_every_step());
  EXPECT_DOUBLE_EQ(activity.kernels_per_step(), 2);
  records.push_back(kernel(0, 10));
  EXPECT_FALSE(activity_of(table_of(records)).same_every_step());
}

TEST(ActivityOf, BusyIsTheUnionOfKernels) {
  // 0 to 30 without a gap though two overlap and one lies within another; 40 to 50: 40 of 50.
  const std::vector<ActivityRecord> records = {kernel(40, 50), kernel(0, 20), kernel(10, 30), kernel(12, 18)};
  EXPECT_DOUBLE_EQ(activity_of(table_of(records)).busy_ratio, 0.8);
  // The host's calls and copies around them are no kernels.
  auto more = records;
  more.push_back(record(ActivityKind::kLaunchCall, -100, 0));
  more.push_back(record(ActivityKind::kCopy, 30, 40));
  EXPECT_DOUBLE_EQ(activity_of(table_of(more)).busy_ratio, 0.8);
}

TEST(ActivityOf, NothingRecorded) {
  const TrainingActivity none = activity_of(table_of({}));
  EXPECT_EQ(none.kernels, 0);
  EXPECT_EQ(none.busy_ratio, 0);
  EXPECT_EQ(activity_of(table_of({kernel(5, 5)})).busy_ratio, 0) << "no time at all";
}

}  // namespace
}  // namespace aaco
