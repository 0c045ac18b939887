// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <string>

#include "analysis/timeline/test_trace.h"
#include "base/json/json.h"
#include "report/sinks.h"
#include "report/trace/sections.h"

namespace aaco::report {
namespace {

std::string doubts(const EventTable& events, const TraceSummary& summary) {
  Outline at(Outline::Form::kSections);
  outline_doubts({{}, events, summary}, at);
  return render_lines({.sections = at.take_sections()});
}

Json data(void (*section)(const TraceInput& input, Outline& at), const EventTable& events,
          const TraceSummary& summary) {
  Outline at(Outline::Form::kData);
  section({{}, events, summary}, at);
  return at.data();
}

TEST(DoubtsSection, LostDeviceTimeIsAShareOfWhatWasRecorded) {
  TestTrace trace;
  const uint32_t host = trace.thread(0);
  const uint32_t stream = trace.stream(0, 0, 7);
  trace.add(host, EventKind::kHostCall, "cudaLaunchKernel", 0, 10, 1);
  trace.add(stream, EventKind::kKernel, "k", 20, 300, 1);
  trace.add(stream, EventKind::kKernel, "k", 400, 100, 2);
  trace.table.losses.add(Loss::kImpossibleTime);
  trace.table.losses.add_device_time(Loss::kImpossibleTime, 1600);
  const TraceSummary summary = summarise_trace(trace.table);
  EXPECT_EQ(recorded_device_ns(summary), 2000);
  EXPECT_EQ(doubts(trace.table, summary),
            "impossible time: 1.600 us of the recorded device time, 80.00 %\n"
            "no launch: 100.0 ns of the recorded device time, 5.00 %\n");
  const Json json = data(outline_source, trace.table, summary)["losses"];
  EXPECT_EQ(json[0]["loss"], "impossible time");
  EXPECT_EQ(json[0]["device_time_ns"], 1600);
  EXPECT_EQ(json[0]["device_time_share"], 0.8);
}

TEST(DoubtsSection, LaunchesWithoutARecordAndClocksThatDisagree) {
  TestTrace trace;
  const uint32_t host = trace.thread(0);
  const uint32_t stream = trace.stream(0, 0, 7);
  trace.add(host, EventKind::kHostRange, "ProfilerStep#4", 0, 1000);
  for (int64_t id = 1; id < 4; ++id) {
    trace.add(host, EventKind::kHostCall, "hipLaunchKernel", 100 * id, 10, id);
  }
  trace.add(stream, EventKind::kKernel, "k", 120, 20, 1);
  trace.add(stream, EventKind::kKernel, "k", 290, 5, 3);
  trace.add(host, EventKind::kHostCall, "hipLaunchKernel", 1000, 10, 4);
  trace.add(stream, EventKind::kKernel, "k", 1020, 20, 4);
  const TraceSummary summary = summarise_trace(trace.table);
  const std::string text = doubts(trace.table, summary);
  EXPECT_NE(text.find("rank 0 launches: 1 of 4 launches of kernels left no record (ProfilerStep#4 1 of 3): idle is "
                      "an upper bound, and no advice rests on it\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("rank 0 device 0: 1 of 3 slices start before the call that launched them: the clocks of host "
                      "and device disagree, and no advice rests on when the host launched\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(data(outline_devices, trace.table, summary)["devices"][0]["kernel_launches"].dump(),
            R"({"launches":4,"without_record":1,"steps":[{"step":"ProfilerStep#4","launches":3,"without_record":1}]})");
}

}  // namespace
}  // namespace aaco::report
