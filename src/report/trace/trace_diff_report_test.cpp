// SPDX-License-Identifier: MIT
#include "report/trace/trace_diff_report.h"

#include <gtest/gtest.h>

#include "analysis/timeline/test_trace.h"
#include "report/sinks.h"

namespace aaco::report {
namespace {

std::string diff_text(const TestTrace& before, const TestTrace& after) {
  return render_lines(build_trace_diff_report(diff_traces(before.table, after.table), {}, {}, 5));
}

TEST(TraceDiffReport, SaysWhichTraceHasNoDeviceWork) {
  TestTrace with;
  with.add(with.stream(kNoId, 0, 7), EventKind::kKernel, "k", 0, 1'000);
  TestTrace without;
  without.add(without.thread(), EventKind::kHostOp, "aten::add", 0, 1'000);
  const std::string neither = diff_text(without, without);
  EXPECT_NE(neither.find("neither trace has device activity with times: nothing is compared"), neither.npos);
  EXPECT_EQ(neither.find("device time"), neither.npos);
  EXPECT_EQ(neither.find("matched by"), neither.npos);
  EXPECT_NE(diff_text(with, without).find("\nafter has no device activity with times\n"), std::string::npos);
  EXPECT_NE(diff_text(without, with).find("\nbefore has no device activity with times\n"), std::string::npos);
  const std::string both = diff_text(with, with);
  EXPECT_EQ(both.find("no device activity"), both.npos);
  EXPECT_NE(both.find("matched by name; not both traces have operators"), both.npos);
}

}  // namespace
}  // namespace aaco::report
