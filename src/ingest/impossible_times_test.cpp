// SPDX-License-Identifier: MIT
#include "ingest/impossible_times.h"

#include <gtest/gtest.h>
#include <string>

namespace aaco {
namespace {

constexpr int64_t kUs = 1'000;
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kYear = 31'557'600 * kSecond;

// Ten calls from 1 s on, one every 20 us, each with a kernel of 10 us.
class ImpossibleTimes : public testing::Test {
 protected:
  ImpossibleTimes() {
    events_.tracks.push_back({kEmptyString, kEmptyString, kEmptyString, kEmptyString, kNoId, kNoId, kNoId, 0});
    events_.tracks.push_back({kEmptyString, kEmptyString, kEmptyString, kEmptyString, kNoId, 0, 7, 0});
    events_.tracks.push_back({kEmptyString, kEmptyString, kEmptyString, kEmptyString, kNoId, 0, 8, 0});
  }
  void add_recording(int64_t from_ns = kSecond) {
    for (int64_t i = 0; i < 10; ++i) {
      call(from_ns + 20 * kUs * i, i + 1);
      kernel(from_ns + 20 * kUs * i + 8 * kUs, 10 * kUs, i + 1);
    }
  }
  size_t add(uint32_t track, EventKind kind, int64_t start_ns, int64_t duration_ns, int64_t id,
             std::string_view name = "k") {
    events_.add(
        {start_ns, duration_ns, id, kNoId, events_.strings.intern(name), kEmptyString, track, kind, EventShape::kSlice},
        {});
    return events_.size() - 1;
  }
  size_t call(int64_t start_ns, int64_t id) {
    return add(0, EventKind::kHostCall, start_ns, 2 * kUs, id, "cudaLaunchKernel");
  }
  size_t kernel(int64_t start_ns, int64_t duration_ns, int64_t id, uint32_t track = 1) {
    return add(track, EventKind::kKernel, start_ns, duration_ns, id);
  }
  uint64_t set_aside() {
    set_impossible_times_aside(events_);
    return events_.losses.count(Loss::kImpossibleTime);
  }
  int64_t lost_ns() const {
    for (const LossTable::Entry& entry : events_.losses.entries()) {
      if (entry.loss == Loss::kImpossibleTime) {
        return entry.device_time_ns.value_or(-1);
      }
    }
    return -1;
  }
  bool is_untimed(size_t event) const { return events_.shape[event] == EventShape::kUntimed; }

  EventTable events_;
};

TEST_F(ImpossibleTimes, KernelsThatTheProfilerLeftAtZero) {
  add_recording();
  for (int64_t id = 50; id < 53; ++id) {
    kernel(0, 0, id);
    call(kSecond + 300 * kUs + id, id);
  }
  EXPECT_EQ(set_aside(), 3U);
  EXPECT_EQ(lost_ns(), 0);
  EXPECT_TRUE(events_.losses.in_part());
}

TEST_F(ImpossibleTimes, ACopyAtZeroWithItsLengthCountsIt) {
  add_recording();
  const size_t copy = add(2, EventKind::kCopy, 0, 30 * kUs, 77);
  EXPECT_EQ(set_aside(), 1U);
  EXPECT_TRUE(is_untimed(copy));
  EXPECT_EQ(lost_ns(), 30 * kUs);
}

TEST_F(ImpossibleTimes, ACallAtZeroAfterOthersOfItsThread) {
  add_recording();
  const size_t late = call(0, 11);
  EXPECT_EQ(set_aside(), 1U);
  EXPECT_TRUE(is_untimed(late));
  EXPECT_EQ(lost_ns(), -1);  // of the device nothing is lost
}

TEST_F(ImpossibleTimes, ATraceMayBeginAtZero) {
  add_recording(0);
  EXPECT_EQ(set_aside(), 0U);
}

// Only the rows of its own kind and track say in which order an id stands, and equal ids say nothing.
TEST_F(ImpossibleTimes, IdsCountUpwardsOnATrackOnly) {
  add_recording();
  const size_t copy = add(2, EventKind::kCopy, 100, kUs, 50);  // alone on its stream
  const size_t again = kernel(200, kUs, 1);                    // its call is the first, and started later
  const size_t first = add(0, EventKind::kHostOp, 300, kUs, 50);
  const size_t early = call(400, 5);
  const size_t before = call(500, 0);  // without an id
  EXPECT_EQ(set_aside(), 2U);
  EXPECT_FALSE(is_untimed(copy));
  EXPECT_TRUE(is_untimed(again));
  EXPECT_FALSE(is_untimed(first));
  EXPECT_TRUE(is_untimed(early));
  EXPECT_FALSE(is_untimed(before));
}

// Each of them is held against all rows: one by one that would be 8,000,000,000 looks.
TEST_F(ImpossibleTimes, ManyBeforeALongPause) {
  constexpr int64_t kCalls = 200'000;
  for (int64_t i = 0; i < kCalls; ++i) {
    call(i < kCalls / 5 ? i : 1'000 * kSecond + 3 * i, i + 1);
  }
  EXPECT_EQ(set_aside(), 0U);
}

TEST_F(ImpossibleTimes, EachOfManyThatBreaksItsOrderIsFound) {
  constexpr int64_t kCalls = 10'000;
  for (int64_t i = 0; i < kCalls; ++i) {
    call(i % 10 == 0 ? i : 1'000 * kSecond + 3 * i, i + 1);
  }
  EXPECT_EQ(set_aside(), 999U);  // the first is where it can be
  EXPECT_FALSE(is_untimed(0));
}

TEST_F(ImpossibleTimes, APauseAfterTheFirstCallIsPossible) {
  call(0, 1);
  for (int64_t i = 2; i < 20; ++i) {
    call(kSecond + 20 * kUs * i, i);
    kernel(kSecond + 20 * kUs * i + 8 * kUs, 10 * kUs, i);
  }
  EXPECT_EQ(set_aside(), 0U);
}

TEST_F(ImpossibleTimes, AKernelThatOutlastsAllElseAndCoversItsStream) {
  add_recording();
  events_.duration_ns[1] = 1'600'000 * kUs;
  EXPECT_EQ(set_aside(), 1U);
  EXPECT_TRUE(is_untimed(1));
  EXPECT_EQ(lost_ns(), 1'600'000 * kUs);
}

TEST_F(ImpossibleTimes, TheLastOfAStreamIsNoBetterThanTheOthers) {
  add_recording();
  for (size_t i = 0; i < events_.size(); ++i) {
    events_.duration_ns[i] = events_.kind[i] == EventKind::kKernel ? 4'294'967'295 : events_.duration_ns[i];
  }
  EXPECT_EQ(set_aside(), 10U);
}

TEST_F(ImpossibleTimes, AKernelThatADeviceSynchronisationDidNotWaitFor) {
  add_recording();
  const size_t last = kernel(kSecond + 300 * kUs, 10 * kSecond, 40);
  EXPECT_EQ(set_aside(), 0U);  // it may be long
  add(0, EventKind::kHostCall, kSecond + 320 * kUs, 40 * kUs, 41, "cudaDeviceSynchronize");
  EXPECT_EQ(set_aside(), 1U);
  EXPECT_TRUE(is_untimed(last));
}

TEST_F(ImpossibleTimes, OverlapInAStreamIsPossible) {
  add_recording();
  const size_t branch = kernel(kSecond + 8 * kUs, 150 * kUs, 1);  // of a graph, within the recording
  EXPECT_EQ(set_aside(), 0U);
  events_.duration_ns[branch] = 300 * kUs;  // of another stream: no order between them
  events_.track[branch] = 2;
  EXPECT_EQ(set_aside(), 0U);
}

TEST_F(ImpossibleTimes, AGraphsLongBranchMayOutlastTheRest) {
  call(0, 1);
  kernel(10 * kUs, 100 * kUs, 1);
  for (int64_t i = 0; i < 9; ++i) {
    kernel(11 * kUs + 5 * kUs * i, 4 * kUs, 1);
  }
  EXPECT_EQ(set_aside(), 0U);
}

TEST_F(ImpossibleTimes, AKernelYearsLate) {
  add_recording();
  const size_t late = kernel(19 * kYear / 2, 10 * kUs, 3);
  kernel(0, 0, 60);  // and one at zero, which is only seen once that one is gone
  EXPECT_EQ(set_aside(), 2U);
  EXPECT_TRUE(is_untimed(late));
  EXPECT_EQ(lost_ns(), 10 * kUs);
}

TEST_F(ImpossibleTimes, AnOperatorYearsLateIsNoPartOfTheWindow) {
  add_recording();
  add(0, EventKind::kHostOp, 5 * kYear, kUs, kNoId, "aten::mm");
  EXPECT_EQ(set_aside(), 1U);
}

TEST_F(ImpossibleTimes, TwoWindowsMayLieDaysApart) {
  add_recording();
  add_recording(200'000 * kSecond);
  EXPECT_EQ(set_aside(), 0U);
}

TEST_F(ImpossibleTimes, ARecordingIsJudgedByItsOwnClock) {
  add_recording();
  const auto other = static_cast<uint32_t>(events_.tracks.size());
  events_.tracks.push_back({kEmptyString, kEmptyString, kEmptyString, kEmptyString, kNoId, 0, 7, 1});
  for (int64_t i = 0; i < 3; ++i) {
    kernel(9 * kYear + 20 * kUs * i, 10 * kUs, i + 1, other);
  }
  EXPECT_EQ(set_aside(), 0U);
  const size_t of_the_first = call(0, 11);
  const size_t of_the_other = kernel(0, 10 * kUs, 40, other);
  EXPECT_EQ(set_aside(), 2U);
  EXPECT_TRUE(is_untimed(of_the_first));
  EXPECT_TRUE(is_untimed(of_the_other));
}

}  // namespace
}  // namespace aaco
