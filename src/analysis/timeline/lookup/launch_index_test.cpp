// SPDX-License-Identifier: MIT
#include "analysis/timeline/lookup/launch_index.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/join_losses.h"
#include "analysis/timeline/test_trace.h"
#include "analysis/timeline/trace_summary.h"

namespace aaco {
namespace {

class LaunchLinks : public testing::Test {
 protected:
  uint32_t track(std::string_view process, int64_t device = kNoId, int64_t stream = kNoId) {
    trace_.table.tracks.push_back({trace_.table.strings.intern(process), trace_.table.strings.intern("t"), kEmptyString,
                                   kEmptyString, kNoId, device, stream, 0});
    return static_cast<uint32_t>(trace_.table.tracks.size() - 1);
  }
  void call(uint32_t track, int64_t start_ns, int64_t correlation, std::string_view name = "cudaLaunchKernel") {
    trace_.add(track, EventKind::kHostCall, name, start_ns, 3, correlation);
  }
  void kernel(uint32_t track, int64_t start_ns, int64_t correlation) {
    trace_.add(track, EventKind::kKernel, "k", start_ns, 20, correlation);
  }
  // The start of each slice's call; -1: it has none.
  std::vector<int64_t> calls_of_slices() {
    const LaunchIndex launches(trace_.table);
    std::vector<int64_t> calls;
    links_.clear();
    for (const DeviceWork& work : device_work(trace_.table, launches)) {
      for (const DeviceSlice& slice : work.slices) {
        calls.push_back(slice.call == kNoEvent ? -1 : trace_.table.start_ns[slice.call]);
        links_.push_back(slice.link);
      }
    }
    return calls;
  }
  LossTable losses() { return summarise_trace(trace_.table).losses; }

  TestTrace trace_;
  std::vector<LaunchLink> links_;
};

using Calls = std::vector<int64_t>;

TEST_F(LaunchLinks, AnIdThatCameAgainIsOfTheNearestCallBefore) {
  const uint32_t host = track("100");
  const uint32_t stream = track("0", 0, 7);
  for (int64_t i = 0; i < 6; ++i) {
    call(host, 100 * i + 2, 1, "hipLaunchKernel");
    kernel(stream, 100 * i + 10, 1);
  }
  EXPECT_EQ(calls_of_slices(), (Calls{2, 102, 202, 302, 402, 502}));
  const TraceSummary summary = summarise_trace(trace_.table);
  EXPECT_EQ(summary.devices[0].queue.median_delay_ns, 5);
  EXPECT_EQ(summary.devices[0].launches.count.unrecorded, 0U);
}

TEST_F(LaunchLinks, NoCallIsGuessedWhereAnIdCameAgainBeforeItsWorkBegan) {
  const uint32_t host = track("100");
  const uint32_t stream = track("0", 0, 7);
  for (int64_t i = 0; i < 3; ++i) {
    call(host, 10 * i, 1);
  }
  for (int64_t i = 0; i < 3; ++i) {
    kernel(stream, 100 + 20 * i, 1);
  }
  EXPECT_EQ(calls_of_slices(), (Calls{-1, -1, -1}));
  EXPECT_EQ(losses().count(Loss::kAmbiguousLaunch), 3U);
  EXPECT_EQ(losses().count(Loss::kNoLaunch), 0U);
  EXPECT_EQ(losses().count(Loss::kUnrecordedLaunch), 0U);
  for (const LossTable::Entry& entry : losses().entries()) {
    if (entry.loss == Loss::kAmbiguousLaunch) {
      EXPECT_EQ(entry.device_time_ns, 60);
    }
  }
}

TEST_F(LaunchLinks, OneCallMayStartMuchWork) {
  const uint32_t host = track("100");
  const uint32_t stream = track("0", 0, 7);
  call(host, 0, 1, "cudaGraphLaunch");
  for (int64_t i = 0; i < 5; ++i) {
    kernel(stream, 10 + 20 * i, 1);
  }
  EXPECT_EQ(calls_of_slices(), (Calls{0, 0, 0, 0, 0}));
}

TEST_F(LaunchLinks, OfNestedCallsTheInnermost) {
  const uint32_t host = track("100");
  const uint32_t stream = track("0", 0, 7);
  trace_.add(host, EventKind::kHostCall, "cudaLaunchKernel", 0, 10, 1);
  trace_.add(host, EventKind::kHostCall, "cuLaunchKernel", 2, 5, 1);
  kernel(stream, 20, 1);
  EXPECT_EQ(calls_of_slices(), (Calls{2}));
  EXPECT_EQ(summarise_trace(trace_.table).devices[0].launches.count.launches, 1U);
}

TEST_F(LaunchLinks, ZeroIsNoId) {
  const uint32_t host = track("100");
  const uint32_t stream = track("0", 0, 7);
  call(host, 0, 10);
  kernel(stream, 10, 10);
  kernel(stream, 40, 0);
  call(host, 5, 0, "hipStreamSynchronize");
  EXPECT_EQ(calls_of_slices(), (Calls{0, -1}));
  EXPECT_EQ(losses().count(Loss::kNoLaunch), 1U);
}

TEST_F(LaunchLinks, ACallThatStartsLaterIsNone) {
  const uint32_t host = track("100");
  const uint32_t stream = track("0", 0, 7);
  call(host, 1000, 1);
  kernel(stream, 400, 1);
  call(host, 2000, 2);
  kernel(stream, 2000, 2);  // a resolution of a microsecond makes them equal
  EXPECT_EQ(calls_of_slices(), (Calls{-1, 2000}));
  EXPECT_EQ(links_[0], LaunchLink::kBeforeCall);
  const TraceSummary summary = summarise_trace(trace_.table);
  EXPECT_EQ(summary.devices[0].budget.computation_ns, 40);  // its time counts
  EXPECT_EQ(summary.devices[0].queue.launches, 1U);
  EXPECT_EQ(summary.devices[0].unlinked.before_call, 1U);
  EXPECT_EQ(summary.losses.count(Loss::kBeforeLaunch), 1U);
  EXPECT_EQ(summary.losses.count(Loss::kNoLaunch), 0U);
  EXPECT_EQ(summary.losses.entries()[0].example, "\"k\" at 400 ns, 600.0 ns before its call starts");
}

TEST_F(LaunchLinks, AnIdHoldsWithinOneProcess) {
  trace_.table.recordings.push_back({"merged.db", "rocpd"});
  const uint32_t first = track("100");
  const uint32_t second = track("200");
  const uint32_t of_first = track("100", 4, 1);
  const uint32_t of_second = track("200", 4, 1);
  const uint32_t of_third = track("300", 4, 1);
  call(first, 0, 1);
  call(second, 50, 1);
  kernel(of_first, 100, 1);
  kernel(of_second, 130, 1);
  kernel(of_third, 160, 1);  // which has no calls
  EXPECT_EQ(calls_of_slices(), (Calls{0, 50, -1}));
  EXPECT_EQ(links_[2], LaunchLink::kNoCall);
}

TEST_F(LaunchLinks, ALaneThatNamesNoProcessIsOfTheOnlyOneThatCouldHaveLaunched) {
  const uint32_t first = track("100");
  const uint32_t second = track("1");  // the number of a device, too
  const uint32_t lane = track("1", 1, 7);
  call(first, 0, 5);
  call(second, 500, 5);
  kernel(lane, 100, 5);  // only the first process had called
  kernel(lane, 600, 5);  // both had
  call(first, 700, 6);
  kernel(lane, 710, 6);
  EXPECT_EQ(calls_of_slices(), (Calls{0, -1, 700}));
  EXPECT_EQ(links_[1], LaunchLink::kAmbiguous);
}

// Only what two processes had called by then is ambiguous, whichever of them the trace names first.
TEST_F(LaunchLinks, OfManyProcessesWithOneIdTheOnlyOneThatHadCalled) {
  for (const int64_t start_ns : {900, 100, 500, 700, 300}) {
    call(track(std::to_string(start_ns)), start_ns, 5);
  }
  const uint32_t lane = track("0", 0, 7);
  for (const int64_t start_ns : {50, 100, 299, 300, 1000}) {
    kernel(lane, start_ns, 5);
  }
  EXPECT_EQ(calls_of_slices(), (Calls{-1, 100, 100, -1, -1}));
  EXPECT_EQ(links_, (std::vector{LaunchLink::kBeforeCall, LaunchLink::kLinked, LaunchLink::kLinked,
                                 LaunchLink::kAmbiguous, LaunchLink::kAmbiguous}));
}

TEST_F(LaunchLinks, ClocksThatDisagreeCarryNoAdvice) {
  const uint32_t host = track("100");
  const uint32_t stream = track("0", 0, 7);
  for (int64_t i = 0; i < 8; ++i) {
    call(host, 1'000'000 + 200'000 * i, i + 1);
    trace_.add(stream, EventKind::kKernel, "gemm", 200'000 * i, 50'000, i + 1);
  }
  const TraceSummary summary = summarise_trace(trace_.table);
  EXPECT_EQ(summary.devices[0].unlinked.before_call, 8U);
  EXPECT_FALSE(summary.devices[0].launch_times_carry_advice);
  EXPECT_FALSE(summary.devices[0].idle_is_upper_bound);
  for (const Offender& offender : summary.offenders) {
    EXPECT_EQ(offender.subject.find("launched too late"), std::string::npos);
  }
}

}  // namespace
}  // namespace aaco
